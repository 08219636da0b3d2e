import { describe, expect, it } from '@jest/globals';
import {
  ScenarioLots,
  type Scenario,
  type ScenarioStep,
  contextOf,
  leafyGreens,
  processOf,
  readScenario,
  templateMap,
  verdictFor,
  walletOf,
} from '../../testing/index.js';
import type { EventSubmission } from '../../contract/preparation.js';
import { type ValidationContext, type Issue, errorsOf } from '../../process-maps/event-reading.js';
import type { ProcessMap } from '../../process-maps/process-map.js';
import { type Examination, examine } from './event.rules.js';

const templates = (['rice', 'wool', 'seafood', 'battery', 'textile'] as const).map((key) =>
  readScenario(new URL(`../../../../../apps/cli/src/demo/scenarios/${key}.scenario.json`, import.meta.url)),
);
const scenarios = [...templates, leafyGreens];

interface ScenarioCase {
  readonly stage: ScenarioStep & { readonly processType: string };
  readonly submission: EventSubmission;
  readonly context: ValidationContext;
}

/** Plays a scenario step by step and shows each event before it lands. */
function play(scenario: Scenario, see: (given: ScenarioCase) => Examination): void {
  const map: ProcessMap = templateMap(scenario.map);
  const fold = new ScenarioLots();
  for (const stage of scenario.steps) {
    if (stage.handover) for (const tlc of stage.handover.tlcs) fold.move(tlc, walletOf(stage.handover.to));
    if (stage.processType === undefined) continue;
    if (stage.custody?.action === 'accept') fold.offer(stage.inputTlcs![0]!, walletOf(stage.actor!));
    const submission: EventSubmission = {
      processType: stage.processType,
      inputTokenIds: stage.inputTlcs!.map((tlc) => fold.byTlc(tlc).tokenId),
      outputTlc: stage.outputTlc ?? null,
      outputCustodian: null,
      metadata: stage.metadata!,
      from: walletOf(stage.actor!),
    };
    const context = contextOf({
      published: processOf(map, stage.processType),
      lots: stage.inputTlcs!.map((tlc) => fold.byTlc(tlc)),
      sender: { address: walletOf(stage.actor!), colleagues: new Set() },
      attached: stage.custody !== undefined,
    });
    const { event } = see({ stage: { ...stage, processType: stage.processType }, submission, context });
    if (stage.custody?.action === 'offer') fold.offer(stage.inputTlcs![0]!, walletOf(stage.custody.to!));
    if (stage.custody?.action === 'accept') fold.move(stage.inputTlcs![0]!, walletOf(stage.actor!));
    else if (!stage.custody) fold.land(event!);
  }
}

const judged = ({ submission, context }: ScenarioCase): Examination => examine(submission, context, verdictFor(submission, context));
const errors = (examination: Examination): readonly Issue[] => errorsOf(examination.issues);

describe('the given value chains', () => {
  it('are valid step by step: 40 events without an error, and with no advice but that they come late and what they leave out', () => {
    let events = 0;
    const advice = new Set<string>();
    for (const scenario of scenarios)
      play(scenario, (given) => {
        const examination = judged(given);
        expect({ process: given.stage.processType, errors: errors(examination) }).toEqual({ process: given.stage.processType, errors: [] });
        for (const issue of examination.issues) advice.add(`${given.stage.processType} ${issue.code} ${issue.pointer}`);
        events++;
        return examination;
      });
    expect(events).toBe(40);
    expect([...advice].filter((line) => !line.includes('event_late')).toSorted()).toEqual([
      'GREENS_TRANSFORMATION expiry_capped /metadata/bestBefore',
      'GREENS_TRANSFORMATION footprint_missing /metadata/footprint/carbon',
      'wool_garment_making kde_missing /metadata/substancesOfConcern',
    ]);
  });

  it('refuse a payload without any one of the keys that its schema requires, at the place of that key', () => {
    let mutations = 0;
    for (const scenario of scenarios)
      play(scenario, (given) => {
        for (const { pointer, metadata } of withoutEachRequired(given)) {
          const found = errors(judged({ ...given, submission: { ...given.submission, metadata } }));
          expect({ process: given.stage.processType, pointer, found: found.map((issue) => issue.pointer) }).toEqual({
            process: given.stage.processType,
            pointer,
            found: expect.arrayContaining([pointer]),
          });
          mutations++;
        }
        return judged(given);
      });
    expect(mutations).toBeGreaterThan(337);
  });

  it.each([
    ['a bad time', 'RICE_HARVESTING', { eventTime: 'yesterday' }, '/metadata/eventTime'],
    ['a bad offset', 'RICE_HARVESTING', { eventTimeZoneOffset: '7' }, '/metadata/eventTimeZoneOffset'],
    ['a bad location', 'RICE_HARVESTING', { location: { name: 'x', country: 'VN' } }, '/metadata/location'],
    [
      'a negative footprint',
      'RICE_HARVESTING',
      { footprint: { carbon: { value: -1, unit: 'kgCO2e' } } },
      '/metadata/footprint/carbon/value',
    ],
    ['a document without number', 'RICE_PACKING', { documents: [{ type: 'BATCH_LOG' }] }, '/metadata/documents/0/number'],
    [
      'a point for a plot over 4 ha',
      'RICE_HARVESTING',
      { plot: { id: 'A', areaHa: 4.1, geometry: { type: 'Point', coordinates: [105.7, 10.1] } } },
      '/metadata/plot/geometry/type',
    ],
  ])('refuse %s, with one error', (_, processType, change, pointer) => {
    const found: string[][] = [];
    for (const scenario of scenarios)
      play(scenario, (given) => {
        const metadata = { ...given.submission.metadata, ...change };
        if (given.stage.processType === processType)
          found.push(errors(judged({ ...given, submission: { ...given.submission, metadata } })).map((issue) => issue.pointer));
        return judged(given);
      });
    expect(found[0]).toEqual([pointer]);
  });
});

type Schema = Record<string, unknown>;

/** Every metadata without one required key, nested objects and list items included. */
function withoutEachRequired({ submission, context }: ScenarioCase): { pointer: string; metadata: Record<string, unknown> }[] {
  const { process, map } = context.published!;
  const root = { ...(process.metadataSchema as Schema), $defs: map.document.$defs } as Schema;
  const mutants: { pointer: string; metadata: Record<string, unknown> }[] = [];
  const visit = (schema: Schema, value: unknown, path: readonly (string | number)[]) => {
    if (typeof schema['$ref'] === 'string')
      visit(
        root['$defs'] ? ((root['$defs'] as Record<string, Schema>)[schema['$ref'].slice('#/$defs/'.length)] as Schema) : {},
        value,
        path,
      );
    for (const part of (schema['allOf'] as Schema[] | undefined) ?? []) visit(part, value, path);
    if (Array.isArray(value))
      for (const [i, item] of value.entries()) if (schema['items']) visit(schema['items'] as Schema, item, [...path, i]);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const object = value as Record<string, unknown>;
    for (const key of (schema['required'] as string[] | undefined) ?? []) {
      const metadata = structuredClone(submission.metadata) as Record<string, unknown>;
      const parent = path.reduce<unknown>((here, segment) => (here as Record<string | number, unknown>)[segment], metadata) as Record<
        string,
        unknown
      >;
      delete parent[key];
      mutants.push({ pointer: ['/metadata', ...path, key].join('/'), metadata });
    }
    for (const [key, child] of Object.entries((schema['properties'] as Record<string, Schema> | undefined) ?? {}))
      if (key in object) visit(child, object[key], [...path, key]);
  };
  visit(root, submission.metadata, []);
  return mutants;
}
