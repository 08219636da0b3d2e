import { readFileSync } from 'node:fs';
import { atPointer } from '#kernel';
import { describe, expect, it } from '@jest/globals';
import type { ElementRule } from '../elements/data-element.js';
import { compressedAll, elementBy, readerOf } from '../elements/data-element.rules.js';
import { EXAMPLE_BATTERY, EXAMPLE_GARMENT } from '../testing/packs.js';

type Classes = Readonly<Record<'public' | 'legitimate_interest' | 'authority', readonly string[] | undefined>>;
interface Map {
  readonly assetTypes: Readonly<Record<string, { readonly dataElements?: readonly ElementRule[] }>>;
  readonly processes: Readonly<Record<string, { readonly visibility: Classes }>>;
}

const read = (name: string): Map =>
  JSON.parse(readFileSync(new URL(`../../../traceability/src/templates/${name}.json`, import.meta.url), 'utf8')) as Map;

/** Elements that readers of the classes see. */
function shown(
  name: string,
  [assetType, process]: readonly [string, string],
  metadata: object,
  ...classes: (keyof Classes)[]
): Set<string> {
  const map = read(name);
  const pointers = classes.flatMap((one) => map.processes[process]!.visibility[one] ?? []);
  const values = Object.fromEntries(
    pointers.flatMap((at) => (atPointer(metadata, at) === undefined ? [] : [[at, atPointer(metadata, at)]])),
  );
  const rules = map.assetTypes[assetType]!.dataElements!;
  return new Set(Object.keys(compressedAll(rules.flatMap((rule) => elementBy(rule, readerOf(values)) ?? []))));
}

const named = (name: string, assetType: string): Set<string> =>
  new Set(read(name).assetTypes[assetType]!.dataElements!.map(({ id }) => id));

describe('the battery pack', () => {
  const goods = ['BATTERY_PACK', 'BATTERY_ASSEMBLY'] as const;
  const metadata = { serial: 'PACK-000001', battery: EXAMPLE_BATTERY };

  it('shows everybody what section 1 of Annex XIII has, and nothing of sections 2 to 4', () => {
    const open = shown('battery', goods, metadata, 'public');
    const closed = [...named('battery', 'BATTERY_PACK')].filter((id) => !open.has(id));
    expect(closed).toEqual([
      'status',
      ...[
        'hasMaterialComposition',
        'hasSparePartSources',
        'dismantlingInformation',
        'hasDismantlingDocuments',
        'numberOfCells',
        'safetyInstructions',
        'resultOfTestReport',
      ],
      ...['hasRemainingCapacity', 'hasCapacityFade', 'hasRemainingPowerCapability', 'hasPowerFade', 'hasInternalResistance'],
      ...['hasInternalResistanceIncrease', 'hasRemainingRoundTripEfficiency', 'hasRoundTripEfficiencyFade', 'hasStateOfHealth'],
      ...['hasSelfDischargeRate', 'hasEvolutionOfSelfDischarge', 'numberOfFullCycles', 'negativeEvents', 'hasStateOfCharge'],
      ...['timeSpentInExtremeTemperaturesAboveBoundary', 'timeSpentInExtremeTemperaturesBelowBoundary'],
    ]);
  });

  it('keeps the results of tests for authorities', () => {
    const interested = shown('battery', goods, metadata, 'public', 'legitimate_interest');
    expect([...named('battery', 'BATTERY_PACK')].filter((id) => !interested.has(id))).toEqual(['resultOfTestReport']);
    expect(shown('battery', goods, metadata, 'public', 'legitimate_interest', 'authority')).toEqual(named('battery', 'BATTERY_PACK'));
  });
});

describe('the textile pack', () => {
  it('shows everybody each of its elements', () => {
    const open = shown('textile', ['TEXTILE_GARMENT', 'TEXTILE_MAKING'], { garment: EXAMPLE_GARMENT }, 'public');
    expect(open).toEqual(named('textile', 'TEXTILE_GARMENT'));
  });
});
