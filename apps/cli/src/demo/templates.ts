import { processMapTemplate } from '#traceability';

/** The product's own process map of a value chain. */
export const readTemplate = (name: string): object => processMapTemplate(name);
