import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keccakOf } from '#kernel';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import type { ChainFold, FoldedEvent } from './chain-fold.js';
import { ChainMemory } from './chain-memory.js';
import { RandomChain } from './random-chain.js';
import { type Json, RiceTrade } from './rice-trade.js';

/** `CHAINS=20 CHAIN_ACTIONS=40 CHAIN_SEED=… npm run jest -- …/past-states` plays more and longer chains, with other seeds. */
const CHAINS = Number(process.env['CHAINS'] ?? 3);
const ACTIONS = Number(process.env['CHAIN_ACTIONS'] ?? 14);
const SEED = Number(process.env['CHAIN_SEED'] ?? 1_129);

type Quantity = readonly [uri: string, quantity: number | null];
const sorted = (quantities: readonly Quantity[]): Quantity[] =>
  quantities.toSorted(([a, x], [b, y]) => (a === b ? (x ?? 0) - (y ?? 0) : a < b ? -1 : 1));

/** Quantities of an EPCIS event, by the name of the lot; null: named without one. Parts of a lot have one name. */
function quantitiesIn(event: Json, epcs: string, quantities: string): Quantity[] {
  const listed = ((event[quantities] ?? []) as Json[]).map((one): Quantity => [one['epcClass'] as string, one['quantity'] as number]);
  const named = ((event[epcs] ?? []) as string[]).map((uri): Quantity => [uri, null]);
  return [...listed, ...named];
}

/** What a row of the sheet says in figures. */
const figuresOf = (row: Json): Json =>
  Object.fromEntries(
    ['quantity', 'unit', 'inputTlc', 'inputQuantity', 'inputUnit', 'cte', 'eventDate', 'tlc', 'internalLotCode'].map((name) => [
      name,
      row[name],
    ]),
  );
const asLines = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

describe('reports and exports about a chain of random events', () => {
  let world: World;
  let trade: RiceTrade;
  const memory = new ChainMemory();

  beforeAll(async () => {
    world = await World.start();
    trade = await RiceTrade.of(world);
  });
  afterAll(() => world?.close());

  describe.each(Array.from({ length: CHAINS }, (_, i) => SEED + i))('of seed %i', (seed) => {
    let chain: RandomChain;
    let fold: ChainFold;
    let lots: Json[];
    /** What was read right after each event, and what is read at the end. */
    const first = new Map<string, Json>();
    const firstRows = new Map<string, Json[]>();
    let epcis: Map<string, Json>;
    /** By event. */
    let rows: Map<string, Json[]>;

    const eventsInEpcis = async (): Promise<Map<string, Json>> => {
      const document = await trade.api.get<Json>('/api/v1/events?format=epcis&all=true');
      return new Map((document['epcisBody']['eventList'] as Json[]).map((event) => [event['eventID'] as string, event]));
    };
    const sheet = async (): Promise<Map<string, Json[]>> => {
      const found = new Map<string, Json[]>();
      for (let path: string | null = '/api/v1/reports/fsma204?limit=1000'; path !== null;) {
        const page: Json = await trade.api.get<Json>(path);
        for (const row of page['rows'] as Json[])
          found.set(row['eventId'] as string, [...(found.get(row['eventId'] as string) ?? []), row]);
        path = page['nextCursor'] ? `/api/v1/reports/fsma204?limit=1000&cursor=${encodeURIComponent(page['nextCursor'] as string)}` : null;
      }
      return found;
    };
    const codeIn = (row: Json): string => (row['tlc'] ?? row['internalLotCode']) as string;
    const own = (): number[] => [...memory.codes.keys()];
    const uriOf = (tokenId: number): string => {
      const { key } = memory.codes.get(tokenId)!;
      return key.startsWith('https://') ? key : `${world.baseUrl}/id/rice/lot/${key}`;
    };

    beforeAll(async () => {
      chain = new RandomChain(trade, memory, seed);
      for (let i = 0; i < ACTIONS; i++) {
        await chain.act();
        for (const [id, event] of await eventsInEpcis()) if (!first.has(id)) first.set(id, event);
        for (const [id, said] of await sheet()) if (!firstRows.has(id)) firstRows.set(id, said);
      }
      fold = await chain.fold();
      lots = await Promise.all(own().map((tokenId) => trade.lot(tokenId)));
      [epcis, rows] = [await eventsInEpcis(), await sheet()];
    });

    it('the lots are those of the logs', () => {
      const found = lots.map(({ tokenId, quantity, remainingQuantity, containerTokenId, recalled, status, uom }) => {
        const gone = status === 'retired';
        // A container counts nothing, and is called by its kind (XPX, a pallet).
        return {
          tokenId,
          quantity,
          remaining: gone ? 0 : remainingQuantity,
          container: containerTokenId,
          recalled,
          gone,
          uom: quantity === null ? null : uom,
        };
      });
      const expected = own().map((tokenId) => {
        const { quantity, remaining, container, recalled, isGone, uom, tlcHash } = fold.lots.get(tokenId)!;
        expect(tlcHash).toBe(keccakOf(memory.codes.get(tokenId)!.key));
        const measured = uom === null ? null : quantity;
        return {
          tokenId,
          quantity: measured,
          remaining: isGone ? 0 : uom === null ? null : remaining,
          container,
          recalled,
          gone: isGone,
          uom,
        };
      });
      expect({ done: chain.done, found }).toEqual({ done: chain.done, found: expected });
    });

    it('each lot had, at each block, what the events up to it left of it', async () => {
      for (const event of fold.recorded)
        for (const [tokenId, remaining] of event.remaining) {
          // Several events of a block are compared by the last one; a void changes what was.
          if (fold.lots.get(tokenId)!.uom === null || fold.events.some((one) => one.isVoided && touches(one, tokenId))) continue;
          if (fold.events.some((one) => one !== event && one.block === event.block)) continue;
          const then = await trade.api.get<Json>(`/api/v1/nfts/${tokenId}?asOf=${event.block}`);
          expect([event.id, tokenId, then['remainingQuantity']]).toEqual([event.id, tokenId, remaining]);
        }
    });

    it('EPCIS has the quantities at each event', () => {
      for (const one of fold.recorded) {
        const written = epcis.get(`urn:uuid:${one.id}`)!;
        const event = one.corrects === null ? one : fold.events.find(({ id }) => id === one.corrects)!;
        const quantity = (tokenId: number, value: number): Quantity => [
          uriOf(tokenId),
          fold.lots.get(tokenId)!.uom === null ? null : value,
        ];
        const inputs = event.inputs.map(({ tokenId, used }) => quantity(tokenId, used > 0 ? used : event.remaining.get(tokenId)!));
        const outputs = event.outputs.map((tokenId) => quantity(tokenId, fold.lots.get(tokenId)!.quantity));
        const contents = event.contents.map((tokenId) => quantity(tokenId, event.remaining.get(tokenId)!));
        const found = {
          inputs: sorted([
            ...quantitiesIn(written, 'inputEPCList', 'inputQuantityList'),
            ...quantitiesIn(written, 'childEPCs', 'childQuantityList'),
          ]),
          outputs: sorted(quantitiesIn(written, 'outputEPCList', 'outputQuantityList')),
          observed: sorted(quantitiesIn(written, 'epcList', 'quantityList')),
          parent: written['parentID'],
        };
        const [box] = event.mode === 1 ? event.outputs : event.inputs.map(({ tokenId }) => tokenId);
        const expected = {
          inputs: sorted(event.mode === 2 ? contents : event.mode === 1 || event.outputs.length > 0 ? inputs : []),
          outputs: sorted(event.mode === 0 && event.inputs.length > 0 ? outputs : []),
          observed: sorted(event.mode > 0 ? [] : event.inputs.length === 0 ? outputs : event.outputs.length === 0 ? inputs : []),
          parent: event.mode === 0 ? undefined : uriOf(box!),
        };
        expect([one.id, found]).toEqual([one.id, expected]);
      }
    });

    it('the FSMA 204 sheet has the quantities at each event, a row an output and input', () => {
      const codeOf = (tokenId: number): string => memory.codes.get(tokenId)!.tlc;
      const measured = (tokenId: number, value: number): number | null => (fold.lots.get(tokenId)!.uom === null ? null : value);
      const line = (tokenId: number, value: number, input: FoldedEvent['inputs'][number] | null = null): string =>
        JSON.stringify([codeOf(tokenId), measured(tokenId, value), input && codeOf(input.tokenId), input && input.used]);
      const wantedOf = ({ mode, inputs, outputs, remaining }: FoldedEvent): string[] => {
        // Of a container only its number is known.
        const named = [...remaining].filter(([tokenId]) => mode !== 0 || fold.lots.get(tokenId)!.uom !== null);
        if (mode !== 0 || outputs.length === 0) return named.map(([tokenId, then]) => line(tokenId, then));
        const from = inputs.length === 0 ? [null] : inputs;
        return outputs.flatMap((tokenId) => from.map((input) => line(tokenId, fold.lots.get(tokenId)!.quantity, input)));
      };
      for (const event of fold.recorded) {
        const said = (rows.get(event.id) ?? []).map((row) =>
          JSON.stringify([codeIn(row), row['quantity'], row['inputTlc'] ?? null, row['inputQuantity'] ?? null]),
        );
        const wanted = wantedOf(event);
        // Packing and unpacking have rows of some of what they name.
        const found = event.mode === 0 ? said : wanted;
        const others = said.filter((one) => !wanted.includes(one));
        expect([event.id, found.toSorted(), others]).toEqual([event.id, wanted.toSorted(), []]);
      }
      const unknown = [...rows.keys()].filter((id) => fold.events.some((event) => event.id === id && event.isVoided));
      expect(unknown).toEqual([]);
    });

    it('the inventory is what is left', async () => {
      const live = [...fold.lots.values()].filter((lot) => !lot.isGone && lot.uom !== null && lot.remaining > 0);
      const sum = (uom: string): number => live.reduce((all, lot) => all + (lot.uom === uom ? lot.remaining : 0), 0);
      const expected = {
        lots: live.length,
        quantity: { KGM: sum('KGM'), ...(sum('H87') > 0 && { H87: sum('H87') }) },
        massKg: sum('KGM') + 5 * sum('H87'),
      };
      await eventually('the inventory of the last block', async () => {
        const { summary, asOf } = await trade.api.get<Json>('/api/v1/reports/inventory');
        if ((asOf as Json)['blockNumber'] < Math.max(...fold.events.map(({ block }) => block))) return null;
        expect({ lots: summary['lots'], quantity: summary['quantity'], massKg: summary['massKg'] }).toEqual(expected);
        return true;
      });
    });

    it('the footprint of each lot is its part of what was declared, and nothing is lost', async () => {
      const expected = carbonOf(fold, memory);
      let declared = 0;
      for (const event of fold.recorded) declared += memory.carbon.get(event.id) ?? 0;
      let onHand = 0;
      for (const tokenId of own()) {
        const lot = fold.lots.get(tokenId)!;
        if (lot.isGone || lot.uom === null) continue;
        const { indicators } = await trade.api.get<Json>(`/api/v1/nfts/${tokenId}/footprint`);
        const found = ((indicators['carbon']['onHand'] ?? 0) as number) - (expected.get(tokenId) ?? 0);
        expect([memory.codes.get(tokenId)!.tlc, Math.abs(found) < 1e-3 || found]).toEqual([memory.codes.get(tokenId)!.tlc, true]);
        onHand += expected.get(tokenId) ?? 0;
      }
      expect(onHand).toBeCloseTo(declared, 3);
    });

    it('what was said of an event is said of it later, whatever happened since', () => {
      const changed = new Set([...fold.events.filter(({ isVoided }) => isVoided).map(({ id }) => id), ...memory.superseded]);
      for (const [id, event] of first) {
        const now = epcis.get(id);
        if (changed.has(id.slice('urn:uuid:'.length))) continue;
        expect(now).toEqual(event);
      }
      for (const [id, said] of firstRows) {
        if (changed.has(id)) continue;
        // A relabelled product is called by its new name; its quantities are those of the event.
        expect([id, asLines((rows.get(id) ?? []).map(figuresOf))]).toEqual([id, asLines(said.map(figuresOf))]);
      }
    });
  });
});

const touches = (event: FoldedEvent, tokenId: number): boolean =>
  event.outputs.includes(tokenId) || event.inputs.some((one) => one.tokenId === tokenId);

/** Prices per kilogram, by which milling divides its burden. */
const FACTORS: Readonly<Record<string, number>> = { B: 0.55, H: 0.03 };

/** The formula of docs/spec/domain.md#footprint over the recorded events: carbon on hand, by lot. */
function carbonOf(fold: ChainFold, memory: ChainMemory): ReadonlyMap<number, number> {
  const [carbon, left, place] = [new Map<number, number>(), new Map<number, number>(), new Map<number, number>()];
  const kg = (tokenId: number, quantity: number): number => quantity * (fold.lots.get(tokenId)!.uom === 'H87' ? 5 : 1);
  const add = (tokenId: number, more: number): void => void carbon.set(tokenId, (carbon.get(tokenId) ?? 0) + more);
  for (const event of fold.history) {
    if ('part' in event) {
      const { from, part, quantity } = event;
      const gone = carbon.get(from)! * (quantity / left.get(from)!);
      add(from, -gone);
      add(part, gone);
      left.set(from, left.get(from)! - quantity);
      left.set(part, quantity);
      continue;
    }
    if (event.isVoided) continue;
    let pool = memory.carbon.get(event.id) ?? 0;
    if (event.mode === 1) for (const { tokenId } of event.inputs) place.set(tokenId, event.outputs[0]!);
    if (event.mode === 0 && event.outputs.length > 0) {
      for (const { tokenId, used } of event.inputs) {
        const share = used / left.get(tokenId)!;
        pool += carbon.get(tokenId)! * share;
        add(tokenId, -carbon.get(tokenId)! * share);
        left.set(tokenId, left.get(tokenId)! - used);
      }
      const weights = event.outputs.map((tokenId) => {
        const { quantity } = fold.lots.get(tokenId)!;
        left.set(tokenId, quantity);
        const { tlc, kind } = memory.codes.get(tokenId)!;
        return kg(tokenId, quantity) * (kind === 'other' ? FACTORS[tlc.at(-1)!]! : 1);
      });
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (const [i, tokenId] of event.outputs.entries()) add(tokenId, (pool * weights[i]!) / total);
      continue;
    }
    // In place: of a container, or one that was just broken up, by the mass of what is in it.
    const named = event.inputs.flatMap(({ tokenId }) =>
      fold.lots.get(tokenId)!.uom === null ? [...place].flatMap(([lot, box]) => (box === tokenId ? [lot] : [])) : [tokenId],
    );
    const masses = named.map((tokenId) => kg(tokenId, left.get(tokenId)!));
    const total = masses.reduce((sum, mass) => sum + mass, 0);
    if (event.mode !== 1) for (const [i, tokenId] of named.entries()) add(tokenId, (pool * masses[i]!) / total);
    if (event.mode === 2) for (const tokenId of event.contents) place.delete(tokenId);
  }
  return carbon;
}
