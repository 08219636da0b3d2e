import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { documentFaults, eventFaults } from './conformance.js';
import { documentAround } from './export-document.js';
import { type EpcisEvent, exportEvent } from './export-event.js';
import type { EventAccount, LotThen, RecordedEvent } from '../contract.js';

const naming = { base: 'https://trace.example', tenant: 'demo' };
const root = new URL('../../../../../', import.meta.url);
const read = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, root), 'utf8')) as T;

interface Amount {
  readonly value: number;
  readonly uom: string;
}
interface Step {
  readonly processType?: string;
  readonly inputTlcs: readonly string[];
  readonly outputTlc?: string;
  readonly metadata: Record<string, unknown> & {
    readonly quantity?: Amount;
    readonly inputs?: readonly { readonly tlc: string; readonly quantity: Amount }[];
    readonly coProducts?: readonly { readonly assetType: string; readonly tlc: string; readonly quantity: Amount }[];
  };
}

interface ProcessMap {
  readonly key: string;
  readonly version: string;
  readonly assetTypes: Readonly<Record<string, { readonly category: string; readonly gtin?: string }>>;
  readonly processes: Readonly<
    Record<
      string,
      {
        readonly kind: string;
        readonly containmentMode: number;
        readonly outputs: { readonly assetType?: string };
        readonly epcis: { readonly bizStep: string; readonly disposition: string };
        readonly fields?: Readonly<Record<string, string>>;
      }
    >
  >;
}

/** The recorded events of a value chain, each with its lots as they are right after it. */
function recorded(key: string): EventAccount[] {
  const { steps, map: name } = read<{ steps: Step[]; map: string }>(`apps/cli/src/demo/scenarios/${key}.scenario.json`);
  const map = read<ProcessMap>(`libs/traceability/src/templates/${name}.json`);
  const lots = new Map<string, LotThen>();
  const inside = new Map<string, readonly string[]>();
  return steps.flatMap((step, i): EventAccount[] => {
    if (step.processType === undefined) return [];
    const process = map.processes[step.processType]!;
    const { quantity, inputs = [], coProducts = [], ...rest } = step.metadata;
    const drawn = new Map(inputs.map((input) => [input.tlc, input.quantity]));
    for (const [tlc, amount] of drawn)
      lots.set(tlc, { ...lots.get(tlc)!, remaining: String(Number(lots.get(tlc)!.remaining) - amount.value) });
    const main = step.outputTlc === undefined ? [] : [{ tlc: step.outputTlc, assetType: process.outputs.assetType!, quantity }];
    const made = [...main, ...coProducts].map((output, j) => ({ ...output, tokenId: lots.size + 1 + j }));
    for (const output of made) {
      const asset = map.assetTypes[output.assetType]!;
      lots.set(output.tlc, {
        tokenId: output.tokenId,
        tlc: output.tlc,
        gtin: asset.gtin ?? null,
        isContainer: asset.category === 'container',
        assetType: output.assetType,
        remaining: output.quantity ? String(output.quantity.value) : null,
        uom: output.quantity?.uom ?? null,
      });
    }
    if (process.containmentMode === 1) inside.set(step.outputTlc!, step.inputTlcs);
    const of = (tlc: string) => lots.get(tlc)!;
    const event: RecordedEvent = {
      id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      processType: step.processType,
      processMapName: map.key,
      processMapVersion: map.version,
      kind: process.kind,
      containmentMode: process.containmentMode,
      eventTime: rest['eventTime'] as string,
      eventTimeZoneOffset: rest['eventTimeZoneOffset'] as string,
      recordTime: '2026-11-27T00:00:00.000Z',
      landedAt: '2026-11-27T00:00:01.000Z',
      actor: { address: null, did: null, orgId: null },
      status: 'recorded',
      inputs: step.inputTlcs.map((tlc) => ({
        tokenId: of(tlc).tokenId,
        tlc,
        assetType: of(tlc).assetType,
        quantity: drawn.get(tlc)?.value ?? null,
        uom: drawn.get(tlc)?.uom ?? null,
      })),
      outputs: made.map(({ tlc, assetType, quantity: amount }) => ({
        tokenId: of(tlc).tokenId,
        tlc,
        assetType,
        quantity: amount?.value ?? null,
        uom: amount?.uom ?? null,
      })),
      location: rest['location'] as object,
      metadata: step.metadata,
      documents: (rest['documents'] as object[] | undefined) ?? [],
      ipfsCid: 'bafk',
      dataHash: '0x00',
      txHash: '0x01',
      errorDeclaration: null,
      supersedes: null,
    };
    return [
      {
        event,
        process: { ...process.epcis, fields: process.fields ?? {} },
        lots: [...step.inputTlcs, ...made.map(({ tlc }) => tlc)].map(of),
        contents: process.containmentMode === 2 ? inside.get(step.inputTlcs[0]!)!.map(of) : [],
      },
    ];
  });
}

/** What says when it was told and by whom differs; `transformationID` is for work that spans several events. */
const comparable = (event: EpcisEvent): EpcisEvent => {
  const aside = ['eventID', 'recordTime', 'transformationID', 'trc:dataHash', 'trc:cid', 'trc:transaction', 'trc:footprint'];
  return Object.fromEntries(Object.entries(event).filter(([name]) => !aside.includes(name)));
};

describe.each(['rice', 'wool'])('the %s chain in EPCIS', (key) => {
  const told = recorded(key).map((account) => exportEvent(account, naming));

  it('has the shapes of the expected document', () => {
    const expected = read<{ epcisBody: { eventList: EpcisEvent[] } }>(`test/harness/expected/${key}.epcis.jsonld`).epcisBody.eventList;
    expect(told.length).toBe(expected.length);
    for (const event of expected) expect(told.map(comparable)).toContainEqual(comparable(event));
  });

  it('conforms', () => {
    expect(told.flatMap((event, i) => eventFaults(event, `/${i}`))).toEqual([]);
    expect(documentFaults({ ...documentAround('https://trace.example/x', new Date(0), naming), epcisBody: { eventList: told } })).toEqual(
      [],
    );
  });

  it('keeps the footprint of an event as an extension, every member with its namespace', () => {
    const declared = told.filter((event) => 'trc:footprint' in event);
    expect(declared.length).toBeGreaterThan(0);
    expect(JSON.stringify(declared[0]!['trc:footprint'])).toMatch(/^\{"trc:boundary":.*"trc:carbon":\{"trc:value":/);
  });
});

describe('an event in EPCIS', () => {
  const [harvest] = recorded('rice') as [EventAccount];
  const changed = (event: Partial<RecordedEvent>, account: Partial<EventAccount> = {}): EpcisEvent => {
    const told = exportEvent({ ...harvest, ...account, event: { ...harvest.event, ...event } }, naming);
    expect(eventFaults(told, '')).toEqual([]);
    return told;
  };

  it('that was voided carries its error declaration under the same id', () => {
    const told = changed({
      errorDeclaration: { declarationTime: '2026-11-28T00:00:00.000Z', reason: 'incorrect_data', correctiveEventIDs: ['c0'], actor: '0x1' },
    });
    expect(told['eventID']).toBe(`urn:uuid:${harvest.event.id}`);
    expect(told['errorDeclaration']).toEqual({
      declarationTime: '2026-11-28T00:00:00.000Z',
      reason: 'incorrect_data',
      correctiveEventIDs: ['urn:uuid:c0'],
    });
  });

  it('of which its reader may see nothing keeps what the chain shows', () => {
    const told = changed({ location: null, metadata: null, documents: [] });
    expect(told).toMatchObject({ type: 'ObjectEvent', action: 'ADD', quantityList: [{ quantity: 8000, uom: 'KGM' }] });
    expect(told).not.toHaveProperty('readPoint');
  });

  it.each([
    [0, 'in', 'out', 'TransformationEvent'],
    [0, '', 'out', 'ObjectEvent'],
    [0, 'in', '', 'ObjectEvent'],
    [1, 'in', 'out', 'AggregationEvent'],
    [2, 'in', '', 'AggregationEvent'],
  ])('of an unknown process in mode %s, with (%s) and (%s), is what the chain did: %s', (containmentMode, drawn, made, type) => {
    const lines = harvest.event.outputs;
    const told = changed(
      {
        kind: null,
        processType: null,
        processMapName: null,
        eventTime: null,
        eventTimeZoneOffset: null,
        containmentMode,
        inputs: drawn ? lines : [],
        outputs: made ? lines : [],
      },
      { process: null },
    );
    expect(told).toMatchObject({ type, eventTime: harvest.event.landedAt, eventTimeZoneOffset: '+00:00' });
  });

  it('names a lot of any code by a URI', () => {
    const odd = { ...harvest.lots[0]!, tlc: 'A/1%Ω', gtin: '9520123450014' };
    expect(changed({}, { lots: [odd] })['quantityList']).toEqual([
      { epcClass: 'https://id.gs1.org/01/09520123450014/10/A%2F1%25%CE%A9', quantity: 8000, uom: 'KGM' },
    ]);
  });
});
