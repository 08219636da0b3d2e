import type { Hex } from '#kernel';
import { ALL, type Landing, LotVersion, type RetireReason } from '../lots/lot.js';
import type { Edge } from '../lineage/lineage-graph.js';

/** What one recorded event did to lots, according to its log. */
export interface RecordedEffects {
  readonly eventId: string;
  readonly mode: number;
  readonly inputTokenIds: readonly bigint[];
  /** Parallel to the inputs; empty where the event draws nothing (modes 1 and 2, custody and retire calls). */
  readonly consumed: readonly bigint[];
  readonly firstOutputId: bigint;
  readonly outputCount: number;
}

/**
 * The lots that some logs touch, folded forward log by log. It starts from the current versions, which the caller has
 * loaded with everything they contain, and ends with the versions to close and to insert. A lot is written at most once a
 * log: its version is its state right after it.
 */
export class LotFold {
  private readonly current = new Map<bigint, LotVersion>();
  private readonly contents = new Map<bigint, Set<bigint>>();
  private readonly stored = new Set<bigint>();
  private readonly past: LotVersion[] = [];
  readonly closed: LotVersion[] = [];
  readonly edges: Edge[] = [];

  constructor(stored: readonly LotVersion[] = []) {
    for (const lot of stored) {
      this.place(lot);
      this.stored.add(lot.tokenId);
    }
  }

  /** Versions that begin in these logs, oldest first for each lot. */
  get opened(): readonly LotVersion[] {
    return [...this.past, ...[...this.current.values()].filter((lot) => !this.stored.has(lot.tokenId))];
  }

  get lots(): readonly LotVersion[] {
    return [...this.current.values()];
  }

  lot(tokenId: bigint): LotVersion {
    const lot = this.current.get(tokenId);
    if (!lot) throw new Error(`a log names lot ${tokenId}, whose mint was not indexed: reindex this chain`);
    return lot;
  }

  known(tokenId: bigint): LotVersion | undefined {
    return this.current.get(tokenId);
  }

  minted(lot: LotVersion): void {
    this.place(lot);
  }

  recorded(effects: RecordedEffects, at: Landing): void {
    const { mode, inputTokenIds, consumed, firstOutputId } = effects;
    inputTokenIds.forEach((tokenId, i) => {
      const amount = consumed[i] ?? 0n;
      if (mode === 0 && amount !== 0n) {
        this.change(tokenId, at, (lot) => lot.drawn(amount));
        for (let k = 0; k < effects.outputCount; k++) this.drawEdge(effects, tokenId, firstOutputId + BigInt(k), amount, at);
      }
      if (mode === 1) {
        this.change(tokenId, at, (lot) => lot.packedInto(firstOutputId));
        this.drawEdge(effects, tokenId, firstOutputId, ALL, at);
      }
      if (mode === 2) this.unpacked(tokenId, at);
    });
  }

  /** Mode 0 only, and only while nobody has used the outputs: the contract ensures both. */
  voided(effects: RecordedEffects, at: Landing): void {
    for (let k = 0; k < effects.outputCount; k++) this.change(effects.firstOutputId + BigInt(k), at, (lot) => lot.retired('voided', at));
    effects.inputTokenIds.forEach((tokenId, i) => this.change(tokenId, at, (lot) => lot.givenBack(effects.consumed[i] ?? 0n)));
  }

  offered(tokenIds: readonly bigint[], to: string, offerNo: bigint, at: Landing): void {
    for (const tokenId of tokenIds) this.change(tokenId, at, (lot) => lot.offered(to, offerNo));
  }

  /** Nothing but the quantity differs: a part of an offered lot is offered too, until the log that follows closes it. */
  split(tokenId: bigint, partId: bigint, quantity: bigint, at: Landing & { readonly txHash: Hex }): void {
    this.change(tokenId, at, (lot) => lot.drawn(quantity));
    this.place(this.lot(tokenId).part(partId, quantity, at, at.txHash));
    this.edges.push({ fromToken: tokenId, toToken: partId, eventId: null, kind: 'split', quantity, block: at.block });
  }

  offerClosed(tokenIds: readonly bigint[], at: Landing): void {
    for (const tokenId of tokenIds) this.change(tokenId, at, (lot) => lot.offerClosed());
  }

  custodyMoved(tokenIds: readonly bigint[], to: string, at: Landing): void {
    for (const tokenId of tokenIds) this.changeWithContents(tokenId, at, (lot) => lot.heldBy(to));
  }

  retired(tokenIds: readonly bigint[], quantities: readonly bigint[], reason: RetireReason, at: Landing): void {
    tokenIds.forEach((tokenId, i) => {
      this.change(tokenId, at, (lot) => lot.retiredInPart(quantities[i] ?? ALL, reason, at));
      if (this.lot(tokenId).retiredAt) for (const inside of this.inside(tokenId)) this.change(inside, at, (lot) => lot.retired(reason, at));
    });
  }

  /** Marks the containers around it too, upwards until one is marked already. */
  recalled(tokenIds: readonly bigint[], at: Landing): void {
    for (const tokenId of tokenIds) {
      this.change(tokenId, at, (lot) => lot.recalled(at));
      for (let above = this.lot(tokenId).containerTokenId; above !== null; above = this.lot(above).containerTokenId) {
        if (this.lot(above).holdsRecalled) break;
        this.change(above, at, (lot) => lot.tainted());
      }
    }
  }

  recallLifted(tokenIds: readonly bigint[], at: Landing): void {
    for (const tokenId of tokenIds) this.change(tokenId, at, (lot) => lot.recallLifted());
  }

  /** The event that made these lots was corrected. Their parts follow: token ids rise from a lot to its parts. */
  expiryCorrected(tokenIds: readonly bigint[], expiresAt: Date | null, at: Landing): void {
    const made = new Set(tokenIds);
    for (const { tokenId, splitFrom } of this.lots.toSorted((a, b) => (a.tokenId < b.tokenId ? -1 : 1))) {
      if (splitFrom !== null && made.has(splitFrom)) made.add(tokenId);
      if (made.has(tokenId)) this.change(tokenId, at, (lot) => lot.expiring(expiresAt));
    }
  }

  walletMoved(from: string, to: string, at: Landing): void {
    for (const lot of this.lots)
      if (lot.custodian === from || lot.pendingCustodian === from) this.change(lot.tokenId, at, (before) => before.walletMoved(from, to));
  }

  private unpacked(tokenId: bigint, at: Landing): void {
    const { custodian } = this.lot(tokenId);
    for (const inside of [...(this.contents.get(tokenId) ?? [])]) this.change(inside, at, (lot) => lot.released(custodian));
    this.change(tokenId, at, (lot) => lot.retired('unpacked', at));
  }

  /** Everything in a container, at any depth. */
  private inside(tokenId: bigint): bigint[] {
    const found: bigint[] = [];
    const open = [tokenId];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const contents = [...(this.contents.get(next) ?? [])];
      found.push(...contents);
      open.push(...contents);
    }
    return found;
  }

  private changeWithContents(tokenId: bigint, at: Landing, next: (lot: LotVersion) => LotVersion): void {
    for (const id of [tokenId, ...this.inside(tokenId)]) this.change(id, at, next);
  }

  private drawEdge(effects: RecordedEffects, fromToken: bigint, toToken: bigint, amount: bigint, at: Landing): void {
    const kind = effects.mode === 1 ? 'containment' : 'transformation';
    this.edges.push({ fromToken, toToken, eventId: effects.eventId, kind, quantity: amount === ALL ? null : amount, block: at.block });
  }

  private change(tokenId: bigint, at: Landing, next: (lot: LotVersion) => LotVersion): void {
    const before = this.lot(tokenId);
    const after = next(before);
    if (after === before) return;
    const sameLog = before.fromBlock === at.block && before.fromLog === at.logIndex;
    if (!sameLog) this.keep(before.closed(at));
    this.place(sameLog ? after : after.startingAt(at));
  }

  private keep(version: LotVersion): void {
    if (this.stored.delete(version.tokenId)) this.closed.push(version);
    else this.past.push(version);
  }

  private place(lot: LotVersion): void {
    const before = this.current.get(lot.tokenId);
    if (before?.containerTokenId) this.contents.get(before.containerTokenId)?.delete(lot.tokenId);
    if (lot.containerTokenId !== null) {
      const siblings = this.contents.get(lot.containerTokenId) ?? new Set();
      this.contents.set(lot.containerTokenId, siblings.add(lot.tokenId));
    }
    this.current.set(lot.tokenId, lot);
  }
}
