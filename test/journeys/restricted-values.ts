import { processMapTemplate } from '#traceability';
import type { Scenario } from '../../apps/cli/src/demo/scenario.js';

interface Stage {
  readonly processType?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Fields of a public document that are shown; its number is not. */
const OF_PUBLIC_DOCUMENTS = ['type', 'issuer', 'validTo', 'visibility'];

/**
 * Every value in the events of a scenario that its process map does not mark as public and that is long enough to search for.
 * @param alsoPublic what is public from elsewhere, such as the name of the operator
 */
export function restrictedValues(slug: string, scenario: Scenario, alsoPublic: readonly string[]): string[] {
  const map = processMapTemplate(slug) as unknown as {
    assetTypes: Record<string, { name: string }>;
    processes: Record<string, { visibility?: { public?: string[] } }>;
  };
  // A word of the goods' own name, such as rice, is no secret.
  const names = Object.values(map.assetTypes).map(({ name }) => name.toLowerCase());
  const isNamed = (value: string): boolean => names.some((name) => name.split(' ').includes(value.toLowerCase()));
  const leaves = (scenario.steps as readonly Stage[]).flatMap(({ processType, metadata }) =>
    processType === undefined ? [] : leavesOf(metadata, '', map.processes[processType]!.visibility?.public ?? []),
  );
  const open = new Set([...leaves.filter((leaf) => leaf.open).map(({ value }) => value), ...alsoPublic]);
  const closed = leaves.filter((leaf) => !leaf.open && leaf.value.length >= 4 && !open.has(leaf.value));
  return [...new Set(closed.map(({ value }) => value))].filter((value) => !wordsOfEverybody.has(value) && !isNamed(value));
}

/** Words of standards, which identify nobody: units, boundaries, sources of data. */
const wordsOfEverybody = new Set([
  'kgCO2e',
  'cradle_to_gate',
  'gate_to_gate',
  'ISO14067',
  'ISO14083',
  'measured',
  'estimated',
  'secondary',
  'supplier',
  'Point',
  'Polygon',
]);

interface Leaf {
  readonly value: string;
  readonly open: boolean;
}

function leavesOf(value: unknown, pointer: string, open: readonly string[], document = false): Leaf[] {
  // The kind of a loss is a word of the format, and the page contains it anyway.
  if (value === null || typeof value === 'boolean' || value === undefined || /^\/losses\/\d+\/kind$/.test(pointer)) return [];
  if (typeof value === 'string' || typeof value === 'number')
    return [
      {
        value: String(value),
        open: document || open.some((known) => pointer === known || pointer.startsWith(`${known}/`)),
      },
    ];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const shown = /^\/documents\/\d+$/.test(pointer) && (value as { visibility?: string }).visibility === 'public';
    return leavesOf(member, `${pointer}/${key}`, open, document || (shown && OF_PUBLIC_DOCUMENTS.includes(key)));
  });
}
