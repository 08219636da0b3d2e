import { readFileSync } from 'node:fs';
import type { ProcessMapDocument } from '../process-maps/process-map.js';

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')) as T;

/** JSON Schema (2020-12) of the process map format 1.0. */
export const processMapSchema = read<{ readonly [keyword: string]: unknown }>('process-map.schema.json');

/** The product's own maps: rice, wool, leafy greens, seafood. */
export const processMapTemplates: readonly ProcessMapDocument[] = ['rice', 'wool', 'leafy-greens', 'seafood'].map((name) =>
  read(`${name}.json`),
);

/** @throws RangeError for a name that is no template */
export function processMapTemplate(key: string): ProcessMapDocument {
  const template = processMapTemplates.find((map) => map.key === key);
  if (!template) throw new RangeError(`no process map template ${key}; there are ${processMapTemplates.map((map) => map.key).join(', ')}`);
  return template;
}
