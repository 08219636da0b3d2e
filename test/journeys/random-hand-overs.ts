import type { Company } from '../../apps/cli/src/demo/company.js';
import type { ChainFold, FoldedLot } from './chain-fold.js';
import type { ChainMemory, Kind } from './chain-memory.js';
import type { Json, RiceTrade } from './rice-trade.js';

/** What a chain decides at random, and asks of it. */
interface Dice {
  random(): number;
  among(count: number): number;
  some(fold: ChainFold, kind: Kind, most: number, company?: Company): FoldedLot[];
  words(processType: string, more: Json): { readonly metadata: Json; readonly carbon: number };
  fold(): Promise<ChainFold>;
}

/** Offers of lots and of parts of them, and how they end, at random. */
export class RandomHandOvers {
  constructor(
    private readonly trade: RiceTrade,
    private readonly memory: ChainMemory,
    private readonly dice: Dice,
  ) {}

  /** A custody call, half of the time with an event in it. */
  private async custody(company: Company, body: Json, processType: string): Promise<void> {
    const { metadata, carbon } = this.dice.words(processType, {});
    const hasEvent = this.dice.random() < 0.5;
    const prepared = await this.trade.land(company, this.trade.custody(company, { ...body, ...(hasEvent && { processType, metadata }) }));
    if (hasEvent) this.memory.carbon.set(prepared['eventId'] as string, carbon);
  }

  /** A part of a measured lot in whole units, or all of it. @returns the lot that was offered */
  private async offerSome(fold: ChainFold): Promise<FoldedLot | null> {
    const [from, to] = this.dice.random() < 0.7 ? [this.trade.mill, this.trade.dist] : [this.trade.dist, this.trade.mill];
    const [lot] = this.dice.some(fold, (['bags', 'milled', 'dry', 'wet', 'other'] as const)[this.dice.among(5)]!, 1, from);
    if (!lot) return null;
    const value = 1 + this.dice.among(Math.floor(lot.remaining));
    await this.custody(from, { lots: [{ tokenId: lot.tokenId, quantity: { value, uom: lot.uom } }], to: to.address }, 'RICE_SHIPPING');
    const now = await this.learnParts();
    return [...now.lots.values()].find(({ offeredTo, tokenId }) => offeredTo === to.address && !fold.lots.get(tokenId)?.offeredTo)!;
  }

  async part(fold: ChainFold): Promise<boolean> {
    const offered = await this.offerSome(fold);
    if (offered) await this.close(offered);
    return offered !== null;
  }

  async offer(fold: ChainFold): Promise<boolean> {
    return (await this.offerSome(fold)) !== null;
  }

  async answer(fold: ChainFold): Promise<boolean> {
    const open = [...fold.lots.values()].filter((lot) => lot.offeredTo !== null && !lot.isGone && !lot.recalled);
    const lot = open[this.dice.among(open.length)];
    if (lot) await this.close(lot);
    return lot !== undefined;
  }

  /** The receiver takes all of it, less or nothing, or the sender takes it back. */
  private async close({ tokenId, remaining, uom, offeredTo, custodian }: FoldedLot): Promise<void> {
    const { mill, dist } = this.trade;
    const companyOf = (address: string): Company => (address === mill.address ? mill : dist);
    const [sender, receiver] = [companyOf(custodian), companyOf(offeredTo!)];
    const choice = this.dice.random();
    const value = this.dice.among(Math.floor(remaining));
    if (choice < 0.15) await this.trade.land(receiver, this.trade.custody(receiver, { action: 'reject', tokenIds: [tokenId] }));
    else if (choice < 0.25) await this.trade.land(sender, this.trade.custody(sender, { action: 'cancel', tokenIds: [tokenId] }));
    else if (choice < 0.5 || value === 0) await this.custody(receiver, { action: 'accept', tokenIds: [tokenId] }, 'RICE_RECEIVING');
    else {
      const reason = (['shortage', 'damage', 'refused'] as const)[this.dice.among(3)]!;
      await this.custody(receiver, { action: 'accept', lots: [{ tokenId, quantity: { value, uom } }], reason }, 'RICE_RECEIVING');
    }
    await this.learnParts();
  }

  /** Parts have the code of their lot. */
  private async learnParts(): Promise<ChainFold> {
    const fold = await this.dice.fold();
    for (const { tokenId, splitFrom } of fold.lots.values()) {
      const whole = splitFrom === null ? undefined : this.memory.codes.get(splitFrom);
      if (!whole || this.memory.codes.has(tokenId)) continue;
      this.memory.codes.set(tokenId, whole);
      await this.trade.known(tokenId);
    }
    return fold;
  }
}
