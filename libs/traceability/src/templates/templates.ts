import { readFileSync } from 'node:fs';
import type { ProcessMapDocument } from '../process-maps/process-map.js';

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')) as T;

/** JSON Schema (2020-12) of the process map format 1.0. */
export const processMapSchema = read<{ readonly [keyword: string]: unknown }>('process-map.schema.json');

/** The product's own maps: rice, wool, leafy greens, seafood. */
export const processMapTemplates: readonly ProcessMapDocument[] = ['rice', 'wool', 'leafy-greens', 'seafood'].map((name) =>
  read(`${name}.json`),
);

/** Maps for products whose passports the law describes: batteries, textiles. */
export const processMapPacks: readonly ProcessMapDocument[] = ['battery', 'textile'].map((name) => read(`${name}.json`));

/** @throws RangeError for a name that is no template */
export function processMapTemplate(key: string): ProcessMapDocument {
  const all = [...processMapTemplates, ...processMapPacks];
  const template = all.find((map) => map.key === key);
  if (!template) throw new RangeError(`no process map template ${key}; there are ${all.map((map) => map.key).join(', ')}`);
  return template;
}
