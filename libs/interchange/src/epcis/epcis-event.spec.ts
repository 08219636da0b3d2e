import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { LotKey } from '#kernel';
import { documentFaults, eventFaults } from '../conformance/conformance.js';
import type { EventAccount, LotThen, RecordedEvent } from '../contract.js';
import { type EpcisEvent, documentAround, epcisEvent } from './epcis-event.js';

const naming = { base: 'https://trace.example', tenant: 'demo' };
const root = new URL('../../../../../', import.meta.url);
const read = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, root), 'utf8')) as T;

interface Amount {
  readonly value: number;
  readonly uom: string;
}
interface ScenarioStep {
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
        readonly epcis: { readonly bizStep: string; readonly disposition: string; readonly action?: string };
        readonly fields?: Readonly<Record<string, string>>;
      }
    >
  >;
}

const namesOf = (tlc: string, gtin: string | null, isContainer: boolean) => ({
  gtin,
  serial: null,
  key: LotKey.of({ tlc, gtin, isContainer }).text,
});

/** The recorded events of a value chain, each with its lots as they are right after it. */
function recorded(key: string): EventAccount[] {
  const { steps: scenario, map: name } = read<{ steps: ScenarioStep[]; map: string }>(`apps/cli/src/demo/scenarios/${key}.scenario.json`);
  const map = read<ProcessMap>(`libs/traceability/src/templates/${name}.json`);
  const lots = new Map<string, LotThen>();
  const inside = new Map<string, readonly string[]>();
  return scenario.flatMap((entry, i): EventAccount[] => {
    if (entry.processType === undefined) return [];
    const process = map.processes[entry.processType]!;
    const { quantity, inputs = [], coProducts = [], ...rest } = entry.metadata;
    const drawn = new Map(inputs.map((input) => [input.tlc, input.quantity]));
    for (const [tlc, amount] of drawn)
      lots.set(tlc, { ...lots.get(tlc)!, remaining: String(Number(lots.get(tlc)!.remaining) - amount.value) });
    const main = entry.outputTlc === undefined ? [] : [{ tlc: entry.outputTlc, assetType: process.outputs.assetType!, quantity }];
    const made = [...main, ...coProducts].map((output, j) => ({ ...output, tokenId: lots.size + 1 + j }));
    for (const output of made) {
      const asset = map.assetTypes[output.assetType]!;
      lots.set(output.tlc, {
        tokenId: output.tokenId,
        tlc: output.tlc,
        ...namesOf(output.tlc, asset.gtin ?? null, asset.category === 'container'),
        isContainer: asset.category === 'container',
        assetType: output.assetType,
        remaining: output.quantity ? String(output.quantity.value) : null,
        uom: output.quantity?.uom ?? null,
      });
    }
    if (process.containmentMode === 1) inside.set(entry.outputTlc!, entry.inputTlcs);
    const of = (tlc: string) => lots.get(tlc)!;
    const event: RecordedEvent = {
      id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      processType: entry.processType,
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
      inputs: entry.inputTlcs.map((tlc) => ({
        tokenId: of(tlc).tokenId,
        tlc,
        gtin: null,
        serial: null,
        assetType: of(tlc).assetType,
        quantity: drawn.get(tlc)?.value ?? null,
        uom: drawn.get(tlc)?.uom ?? null,
      })),
      outputs: made.map(({ tlc, assetType, quantity: amount }) => ({
        tokenId: of(tlc).tokenId,
        tlc,
        gtin: null,
        serial: null,
        assetType,
        quantity: amount?.value ?? null,
        uom: amount?.uom ?? null,
      })),
      location: rest['location'] as object,
      metadata: entry.metadata,
      documents: (rest['documents'] as object[] | undefined) ?? [],
      ipfsCid: 'bafk',
      dataHash: '0x00',
      txHash: '0x01',
      errorDeclaration: null,
      senderMismatch: false,
      supersedes: null,
    };
    return [
      {
        event,
        deedOrgId: null,
        process: { ...process.epcis, action: process.epcis.action ?? null, fields: process.fields ?? {} },
        lots: [...entry.inputTlcs, ...made.map(({ tlc }) => tlc)].map(of),
        contents: process.containmentMode === 2 ? inside.get(entry.inputTlcs[0]!)!.map(of) : [],
      },
    ];
  });
}

/** Members that say when and by whom the document was made differ; `transformationID` is for work that spans several events. */
const comparable = (event: EpcisEvent): EpcisEvent => {
  const aside = ['eventID', 'recordTime', 'transformationID', 'trc:dataHash', 'trc:cid', 'trc:transaction', 'trc:footprint'];
  return Object.fromEntries(Object.entries(event).filter(([name]) => !aside.includes(name)));
};

describe.each(['rice', 'wool'])('the %s chain in EPCIS', (key) => {
  const exported = recorded(key).map((account) => epcisEvent(account, naming));

  it('has the shapes of the expected document', () => {
    const expected = read<{ epcisBody: { eventList: EpcisEvent[] } }>(`test/harness/expected/${key}.epcis.jsonld`).epcisBody.eventList;
    expect(exported.length).toBe(expected.length);
    for (const event of expected) expect(exported.map(comparable)).toContainEqual(comparable(event));
  });

  it('conforms', () => {
    expect(exported.flatMap((event, i) => eventFaults(event, `/${i}`))).toEqual([]);
    expect(
      documentFaults({ ...documentAround('https://trace.example/x', new Date(0), naming), epcisBody: { eventList: exported } }),
    ).toEqual([]);
  });

  it('keeps the footprint of an event as an extension, every member with its namespace', () => {
    const declared = exported.filter((event) => 'trc:footprint' in event);
    expect(declared.length).toBeGreaterThan(0);
    expect(JSON.stringify(declared[0]!['trc:footprint'])).toMatch(/^\{"trc:boundary":.*"trc:carbon":\{"trc:value":/);
  });
});

describe('an event in EPCIS', () => {
  const [harvest] = recorded('rice') as [EventAccount];
  const changed = (event: Partial<RecordedEvent>, account: Partial<EventAccount> = {}): EpcisEvent => {
    const exported = epcisEvent({ ...harvest, ...account, event: { ...harvest.event, ...event } }, naming);
    expect(eventFaults(exported, '')).toEqual([]);
    return exported;
  };

  it('that was voided carries its error declaration under the same id', () => {
    const exported = changed({
      errorDeclaration: { declarationTime: '2026-11-28T00:00:00.000Z', reason: 'incorrect_data', correctiveEventIDs: ['c0'], actor: '0x1' },
    });
    expect(exported['eventID']).toBe(`urn:uuid:${harvest.event.id}`);
    expect(exported['errorDeclaration']).toEqual({
      declarationTime: '2026-11-28T00:00:00.000Z',
      reason: 'incorrect_data',
      correctiveEventIDs: ['urn:uuid:c0'],
    });
  });

  it('of which its reader may see nothing keeps what the chain shows', () => {
    const exported = changed({ location: null, metadata: null, documents: [] });
    expect(exported).toMatchObject({ type: 'ObjectEvent', action: 'ADD', quantityList: [{ quantity: 8000, uom: 'KGM' }] });
    expect(exported).not.toHaveProperty('readPoint');
  });

  it.each([
    [0, 'in', 'out', 'TransformationEvent'],
    [0, '', 'out', 'ObjectEvent'],
    [0, 'in', '', 'ObjectEvent'],
    [1, 'in', 'out', 'AggregationEvent'],
    [2, 'in', '', 'AggregationEvent'],
  ])('of an unknown process in mode %s, with (%s) and (%s), is what the chain did: %s', (containmentMode, drawn, made, type) => {
    const lines = harvest.event.outputs;
    const exported = changed(
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
    expect(exported).toMatchObject({ type, eventTime: harvest.event.landedAt, eventTimeZoneOffset: '+00:00' });
  });

  it('names a lot of any code by a URI', () => {
    const odd = { ...harvest.lots[0]!, tlc: 'A/1%', ...namesOf('A/1%', '9520123450014', false) };
    expect(changed({}, { lots: [odd] })['quantityList']).toEqual([
      { epcClass: 'https://id.gs1.org/01/09520123450014/10/A%2F1%25', quantity: 8000, uom: 'KGM' },
    ]);
  });
});
