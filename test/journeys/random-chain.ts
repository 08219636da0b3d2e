import type { Company } from '../../apps/cli/src/demo/company.js';
import { randomFrom } from '../harness/seeded-random.js';
import { ChainFold, type FoldedLot } from './chain-fold.js';
import type { ChainMemory, Kind } from './chain-memory.js';
import { RandomHandOvers } from './random-hand-overs.js';
import { type Json, type RiceTrade, codeOf } from './rice-trade.js';

const KINDS: Readonly<Record<string, Kind>> = {
  RICE_HARVESTING: 'wet',
  RICE_DRYING: 'dry',
  RICE_MILLING: 'milled',
  RICE_PACKING: 'bags',
  RICE_PALLETIZING: 'pallet',
};

/** The check digit of an SSCC: modulo 10, weights 3 and 1 from the right. */
const ssccOf = (serial: number): string => {
  const digits = `09520000${String(serial).padStart(9, '0')}`;
  const sum = Array.from(digits).reduce((all, digit, i) => all + Number(digit) * (i % 2 === 0 ? 3 : 1), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
};

/** Plays a value chain of rice at random, by HTTP. One seed, one chain. */
export class RandomChain {
  readonly done: string[] = [];
  readonly random: () => number;
  private readonly handOvers: RandomHandOvers;
  private next = 0;

  constructor(
    private readonly trade: RiceTrade,
    private readonly memory: ChainMemory,
    private readonly seed: number,
  ) {
    this.random = randomFrom(seed);
    this.handOvers = new RandomHandOvers(trade, memory, this);
  }

  fold = (): Promise<ChainFold> => ChainFold.of(this.trade.world.node.url, this.trade.contract);

  async act(): Promise<void> {
    const fold = await this.fold();
    const actions: readonly (readonly [string, number, (fold: ChainFold) => Promise<boolean>])[] = [
      ['harvest', 2, () => this.harvest()],
      ['dry', 3, (now) => this.dry(now)],
      ['mill', 3, (now) => this.mill(now)],
      ['pack', 3, (now) => this.pack(now)],
      ['palletise', 2, (now) => this.palletise(now)],
      ['depalletise', 2, (now) => this.depalletise(now)],
      ['ship', 2, (now) => this.ship(now)],
      ['hand over', 1, (now) => this.handOver(now)],
      ['hand over a part', 3, (now) => this.handOvers.part(now)],
      ['offer', 1, (now) => this.handOvers.offer(now)],
      ['answer', 2, (now) => this.handOvers.answer(now)],
      ['void', 2, (now) => this.undo(now)],
      ['supersede', 1, (now) => this.supersede(now)],
      ['recall', 1, (now) => this.recall(now)],
      ['lift', 2, (now) => this.lift(now)],
    ];
    // Until one of them is possible: a harvest always is.
    for (;;) {
      let at = this.random() * actions.reduce((sum, [, weight]) => sum + weight, 0);
      const [name, , act] = actions.find(([, weight]) => (at -= weight) < 0)!;
      if (!(await act(fold))) continue;
      this.done.push(name);
      return;
    }
  }

  private code(prefix: string): string {
    return `${prefix}-20261110-${this.seed.toString(36).toUpperCase().slice(-3)}N${++this.next}`;
  }

  among(count: number): number {
    return Math.floor(this.random() * count);
  }

  /** Lots of a kind that the company may use, one or two of them. */
  some(fold: ChainFold, kind: Kind, most: number, { address }: Company = this.trade.mill): FoldedLot[] {
    const isFree = (lot: FoldedLot): boolean =>
      lot.custodian === address &&
      lot.offeredTo === null &&
      !lot.isGone &&
      !lot.recalled &&
      lot.container === null &&
      (lot.remaining >= 10 || lot.uom === null);
    const free = [...fold.lots.values()].filter((lot) => this.memory.codes.get(lot.tokenId)?.kind === kind && isFree(lot));
    const found: FoldedLot[] = [];
    for (let left = 1 + this.among(most); left > 0 && free.length > 0; left--) found.push(...free.splice(this.among(free.length), 1));
    return found;
  }

  /** Of an event, with a time that follows that of the one before, and the carbon that it declares. */
  words(processType: string, more: Json): { readonly metadata: Json; readonly carbon: number } {
    const eventTime = new Date(Date.UTC(2026, 10, 10, 0, ++this.memory.minute)).toISOString();
    const { footprint: _, ...metadata } = { ...this.trade.metadataOf(processType), ...more };
    const value = 1 + this.among(1_000);
    const footprint = { boundary: 'gate_to_gate', gwp: 'AR6', carbon: { value, unit: 'kgCO2e', source: 'measured' } };
    const takesFootprint = !/PALLETIZING$/.test(processType);
    return { metadata: { ...metadata, eventTime, ...(takesFootprint && { footprint }) }, carbon: takesFootprint ? value : 0 };
  }

  /** Records an event. */
  private async record(company: Company, body: Json, keys: readonly { tlc: string; key?: string; kind: Kind }[] = []): Promise<boolean> {
    const { metadata, carbon } = this.words(body['processType'] as string, body['metadata'] as Json);
    const prepared = await this.trade.land(company, this.trade.event(company, { ...body, metadata }));
    if (carbon > 0) this.memory.carbon.set(prepared['eventId'] as string, carbon);
    const { outputs } = (await this.fold()).events.find(({ id }) => id === prepared['eventId'])!;
    for (const [i, tokenId] of outputs.entries()) {
      const { tlc, key = tlc, kind } = keys[i]!;
      this.memory.codes.set(tokenId, { tlc, key, kind });
    }
    return true;
  }

  private async harvest(): Promise<boolean> {
    const { farmA, mill } = this.trade;
    const tlc = this.code('RH');
    const quantity = { value: 100 + this.among(900), uom: 'KGM' };
    await this.record(farmA, { processType: 'RICE_HARVESTING', outputTlc: tlc, metadata: { quantity } }, [{ tlc, kind: 'wet' }]);
    const { tokenId } = (await this.trade.api.lots.byTlc(tlc)) as { tokenId: number };
    await this.trade.handOver([tokenId], farmA, mill);
    return true;
  }

  /** Takes a part of each input, in whole units. */
  private parts(lots: readonly FoldedLot[]): { lines: Json[]; total: number } {
    const taken = lots.map(({ tokenId, remaining }) => ({
      tokenId,
      value: Math.max(10, Math.min(Math.floor(remaining), Math.ceil(remaining * (0.3 + this.random())))),
    }));
    return {
      lines: taken.map(({ tokenId, value }) => ({ tokenId, quantity: { value, uom: 'KGM' } })),
      total: taken.reduce((sum, { value }) => sum + value, 0),
    };
  }

  private async transform(
    processType: string,
    lots: readonly FoldedLot[],
    tlc: string,
    metadata: Json,
    others: string[] = [],
  ): Promise<boolean> {
    const gtin = metadata['gtin'] as string | undefined;
    const key = gtin === undefined ? tlc : `https://id.gs1.org/01/${gtin}/10/${tlc}`;
    return this.record(this.trade.mill, { processType, inputTokenIds: lots.map(({ tokenId }) => tokenId), outputTlc: tlc, metadata }, [
      { tlc, key, kind: KINDS[processType]! },
      ...others.map((other) => ({ tlc: other, kind: 'other' as const })),
    ]);
  }

  private async dry(fold: ChainFold): Promise<boolean> {
    const lots = this.some(fold, 'wet', 2);
    if (lots.length === 0) return false;
    const { lines, total } = this.parts(lots);
    const made = Math.floor(total * 0.9);
    const losses = [{ kind: 'moisture', quantity: { value: total - made, uom: 'KGM' } }];
    return this.transform('RICE_DRYING', lots, this.code('RD'), { inputs: lines, quantity: { value: made, uom: 'KGM' }, losses });
  }

  private async mill(fold: ChainFold): Promise<boolean> {
    const lots = this.some(fold, 'dry', 2);
    if (lots.length === 0) return false;
    const { lines, total } = this.parts(lots);
    const tlc = this.code('RM');
    const [main, broken, husk] = [0.62, 0.1, 0.2].map((part) => Math.floor(total * part)) as [number, number, number];
    const quantityOf = (value: number): Json => ({ value, uom: 'KGM' });
    const coProducts = [
      { assetType: 'RICE_BROKEN', tlc: `${tlc}B`, quantity: quantityOf(Math.max(1, broken)) },
      { assetType: 'RICE_HUSK', tlc: `${tlc}H`, quantity: quantityOf(Math.max(1, husk)) },
    ];
    const left = total - main - Math.max(1, broken) - Math.max(1, husk);
    const losses = left > 0 ? [{ kind: 'dust', quantity: quantityOf(left) }] : [];
    return this.transform('RICE_MILLING', lots, tlc, { inputs: lines, quantity: quantityOf(main), coProducts, losses }, [
      `${tlc}B`,
      `${tlc}H`,
    ]);
  }

  private async pack(fold: ChainFold): Promise<boolean> {
    const lots = this.some(fold, 'milled', 2);
    if (lots.length === 0) return false;
    const { lines, total } = this.parts(lots);
    const bags = Math.floor(total / 5);
    const losses = total % 5 === 0 ? [] : [{ kind: 'spill', quantity: { value: total % 5, uom: 'KGM' } }];
    const gtin = this.trade.metadataOf('RICE_PACKING')['gtin'] as string;
    return this.transform('RICE_PACKING', lots, this.code('RP').replaceAll('-2026', ''), {
      ...{ inputs: lines, quantity: { value: bags, uom: 'H87' }, losses, gtin },
    });
  }

  private async palletise(fold: ChainFold): Promise<boolean> {
    const lots = this.some(fold, 'bags', 2);
    if (lots.length === 0) return false;
    const sscc = ssccOf(this.seed * 1_000 + ++this.next);
    const body = {
      processType: 'RICE_PALLETIZING',
      inputTokenIds: lots.map(({ tokenId }) => tokenId),
      outputTlc: sscc,
      metadata: { sscc },
    };
    return this.record(this.trade.mill, body, [{ tlc: sscc, key: `https://id.gs1.org/00/${sscc}`, kind: 'pallet' }]);
  }

  private async depalletise(fold: ChainFold): Promise<boolean> {
    for (const company of [this.trade.mill, this.trade.dist]) {
      const [pallet] = this.some(fold, 'pallet', 1, company);
      if (!pallet) continue;
      const { tlc: sscc } = this.memory.codes.get(pallet.tokenId)!;
      return this.record(company, { processType: 'RICE_DEPALLETIZING', inputTokenIds: [pallet.tokenId], metadata: { sscc } });
    }
    return false;
  }

  private async ship(fold: ChainFold): Promise<boolean> {
    const [lot] = this.some(fold, (['bags', 'pallet', 'milled', 'dry'] as const)[this.among(4)]!, 1);
    if (!lot) return false;
    return this.record(this.trade.mill, { processType: 'RICE_SHIPPING', inputTokenIds: [lot.tokenId], metadata: {} });
  }

  private async handOver(fold: ChainFold): Promise<boolean> {
    const [lot] = this.some(fold, (['bags', 'pallet'] as const)[this.among(2)]!, 1);
    if (!lot) return false;
    await this.trade.handOver([lot.tokenId], this.trade.mill, this.trade.dist);
    return true;
  }

  /** One of the last events, where nothing was made of what it made. */
  private async undo(fold: ChainFold): Promise<boolean> {
    for (const event of fold.recorded.slice(-3).toReversed()) {
      const isNamed = fold.recorded.some((other) => other !== event && other.inputs.some(({ tokenId }) => event.outputs.includes(tokenId)));
      if (event.outputs.length === 0 || isNamed || this.memory.superseded.has(event.id)) continue;
      const prepared = this.trade.api.post<Json>(`/api/v1/events/${event.id}/void/prepare`, { reason: 'did_not_occur' });
      if ((await codeOf(prepared)) !== 'taken') continue;
      await this.trade.land(this.trade.admin, prepared);
      return true;
    }
    return false;
  }

  private async supersede(fold: ChainFold): Promise<boolean> {
    const packed = fold.recorded.filter(
      (event) => this.memory.codes.get(event.outputs[0] ?? 0)?.kind === 'bags' && !this.memory.superseded.has(event.id),
    );
    const event = packed[this.among(packed.length)];
    if (!event) return false;
    const { metadata } = await this.trade.api.get<Json>(`/api/v1/events/${event.id}`);
    const words = { ...(metadata as Json), productDescription: `Relabelled ${this.next}` };
    const prepared = await this.trade.api.post<Json>(`/api/v1/events/${event.id}/supersede/prepare`, { metadata: words });
    await this.trade.land(this.trade.admin, prepared);
    this.memory.superseded.add(event.id);
    return true;
  }

  private async recall(fold: ChainFold): Promise<boolean> {
    const lots = [...fold.lots.values()].filter((lot) => !lot.isGone && !lot.recalled && this.memory.codes.has(lot.tokenId));
    const lot = lots[this.among(lots.length)];
    if (!lot) return false;
    const call = this.trade.recall(this.trade.admin, lot.tokenId, { reason: 'Test', recallClass: 'III', propagation: 'none' });
    await this.trade.land(this.trade.admin, call);
    return true;
  }

  private async lift(fold: ChainFold): Promise<boolean> {
    const lot = [...fold.lots.values()].find(({ recalled }) => recalled);
    if (!lot) return false;
    const call = this.trade.api.post<Json>(`/api/v1/nfts/${lot.tokenId}/recall/lift/prepare`, { reason: 'It was clean', scope: 'recall' });
    await this.trade.land(this.trade.admin, call);
    return true;
  }
}
