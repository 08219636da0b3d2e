import { processMapTemplate } from '#traceability';

/** The process map template of a value chain. */
export const readTemplate = (name: string): object => processMapTemplate(name);
