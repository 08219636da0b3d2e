import { processMapTemplate } from '#traceability';

interface Played {
  readonly steps: readonly object[];
}
interface Step {
  readonly processType?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What is written of a public document; its number is not. */
const OF_PUBLIC_DOCUMENTS = ['type', 'issuer', 'validTo', 'visibility'];

/**
 * Every value of a scenario's events that its process map does not call public, long enough to be told from anything else.
 * @param alsoPublic what is public from elsewhere, such as the name of the operator
 */
export function restrictedValues(slug: string, scenario: Played, alsoPublic: readonly string[]): string[] {
  const map = processMapTemplate(slug) as unknown as { processes: Record<string, { visibility?: { public?: string[] } }> };
  const leaves = (scenario.steps as readonly Step[]).flatMap(({ processType, metadata }) =>
    processType === undefined ? [] : leavesOf(metadata, '', map.processes[processType]!.visibility?.public ?? []),
  );
  const open = new Set([...leaves.filter((leaf) => leaf.open).map(({ value }) => value), ...alsoPublic]);
  const closed = leaves.filter((leaf) => !leaf.open && leaf.value.length >= 4 && !open.has(leaf.value));
  return [...new Set(closed.map(({ value }) => value))].filter((value) => !wordsOfEverybody.has(value));
}

/** Words of standards, which say nothing of anybody: units, boundaries, sources of data. */
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
  // The kind of a loss is a word of the format, and of this page.
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
