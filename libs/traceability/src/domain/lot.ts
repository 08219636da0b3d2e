import { type Hex, ZERO_BYTES32 } from '#kernel';

/** uint8 of the contract (R_* in contracts/src/LotWord.sol). `voided` and `unpacked` are set by the contract alone. */
export const RETIRE_REASONS = {
  1: 'sold',
  2: 'disposed',
  3: 'destroyed',
  4: 'lost',
  5: 'sampled',
  6: 'voided',
  7: 'exported',
  8: 'unpacked',
  9: 'migrated',
} as const;
export type RetireReason = (typeof RETIRE_REASONS)[keyof typeof RETIRE_REASONS];

/** Retired this way, goods are out there: what a recall is for (domain-decisions §3). */
const OUT_THERE: ReadonlySet<RetireReason> = new Set(['sold', 'exported', 'lost']);

/** "All that is left", of a lot without a quantity too. */
export const ALL = (1n << 256n) - 1n;

/** Where and when a log landed. */
export interface Landing {
  readonly block: number;
  readonly logIndex: number;
  readonly time: Date;
}

/** What never changes about a lot: set when it is minted. */
export interface MintFacts {
  readonly id: string;
  readonly tenantId: string;
  readonly chainId: number;
  readonly contract: string;
  readonly tokenId: bigint;
  /** The code, or its hash when the text is unknown (`resolved` false). */
  readonly tlc: string;
  readonly tlcHash: Hex;
  readonly resolved: boolean;
  readonly assetType: string | null;
  readonly assetTypeHash: Hex;
  readonly assetTypeName: string | null;
  readonly gtin: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly uom: string | null;
  /** Kilograms of one unit; null where neither the unit nor the asset type says. */
  readonly unitKg: number | null;
  /** Millionths of the unit; null for an unmeasured lot. */
  readonly quantity: bigint | null;
  /** 0 for goods, 1 to 8 for a container. */
  readonly depth: number;
  readonly expiresAt: Date | null;
  readonly mintEventId: string;
  readonly mintTx: Hex;
  readonly mintBlock: number;
  readonly mintedAt: Date;
  readonly dataHash: Hex;
  readonly metadataCid: string;
}

interface ChangingFacts {
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  /** Of the latest offer, open or closed; null = never offered. */
  readonly offerNo: bigint | null;
  /** Kept when the lot is retired inside its container: a recall still marks what stands around it. */
  readonly containerTokenId: bigint | null;
  readonly remaining: bigint | null;
  /** Millionths that were sold, exported or lost in part. What leaves with the whole lot stays in `remaining`. */
  readonly outThere: bigint;
  readonly usedUp: boolean;
  readonly retiredAt: Date | null;
  readonly retireReason: RetireReason | null;
  readonly recalledAt: Date | null;
  /** A container that holds a recalled lot; stays until it is broken up, and on it after that. */
  readonly holdsRecalled: boolean;
}

interface Span {
  readonly fromBlock: number;
  readonly fromLog: number;
  /** Null = current. */
  readonly toBlock: number | null;
  readonly toLog: number | null;
}

export interface LotVersion extends MintFacts, ChangingFacts, Span {}

const EPOCH = new Date(0);

/**
 * One version of a lot: what stood on chain about it from one log on (that log included) until another (excluded).
 * The rules are those of contracts/src/TenantLots.sol with everything a container implies written out, so that no reader
 * has to walk up: `custodian` of a contained lot is its outermost container's.
 *
 * Every field has a value from the start, so that all lots are of one shape: made of properties added one by one, forty of them become
 * a hash table each, which costs a backfill a third of its time.
 */
export class Lot implements LotVersion {
  readonly id: string = '';
  readonly tenantId: string = '';
  readonly chainId: number = 0;
  readonly contract: string = '';
  readonly tokenId: bigint = 0n;
  readonly tlc: string = '';
  readonly tlcHash: Hex = ZERO_BYTES32;
  readonly resolved: boolean = false;
  readonly assetType: string | null = null;
  readonly assetTypeHash: Hex = ZERO_BYTES32;
  readonly assetTypeName: string | null = null;
  readonly gtin: string | null = null;
  readonly processMapName: string | null = null;
  readonly processMapVersion: string | null = null;
  readonly uom: string | null = null;
  readonly unitKg: number | null = null;
  readonly quantity: bigint | null = null;
  readonly depth: number = 0;
  readonly expiresAt: Date | null = null;
  readonly mintEventId: string = '';
  readonly mintTx: Hex = ZERO_BYTES32;
  readonly mintBlock: number = 0;
  readonly mintedAt: Date = EPOCH;
  readonly dataHash: Hex = ZERO_BYTES32;
  readonly metadataCid: string = '';
  readonly custodian: string = '';
  readonly pendingCustodian: string | null = null;
  readonly offerNo: bigint | null = null;
  readonly containerTokenId: bigint | null = null;
  readonly remaining: bigint | null = null;
  readonly outThere: bigint = 0n;
  readonly usedUp: boolean = false;
  readonly retiredAt: Date | null = null;
  readonly retireReason: RetireReason | null = null;
  readonly recalledAt: Date | null = null;
  readonly holdsRecalled: boolean = false;
  readonly fromBlock: number = 0;
  readonly fromLog: number = 0;
  readonly toBlock: number | null = null;
  readonly toLog: number | null = null;

  static minted(facts: MintFacts, custodian: string, at: Landing): Lot {
    return Object.assign(new Lot(), facts, {
      custodian,
      pendingCustodian: null,
      offerNo: null,
      containerTokenId: null,
      remaining: facts.quantity,
      outThere: 0n,
      usedUp: false,
      retiredAt: null,
      retireReason: null,
      recalledAt: null,
      holdsRecalled: false,
      fromBlock: at.block,
      fromLog: at.logIndex,
      toBlock: null,
      toLog: null,
    });
  }

  static of(version: LotVersion): Lot {
    return Object.assign(new Lot(), version);
  }

  get isContainer(): boolean {
    return this.depth > 0;
  }

  get digitalLink(): string | null {
    return digitalLink(this.gtin, this.resolved ? this.tlc : null);
  }

  /** @param amount what the event took, as the log says: 0 = observed, ALL = all of an unmeasured lot */
  drawn(amount: bigint): Lot {
    if (amount === 0n) return this;
    if (amount === ALL || this.remaining === null) return this.with({ usedUp: true });
    const remaining = this.remaining - amount;
    return this.with({ remaining, usedUp: remaining === 0n });
  }

  /** A void gives back what the event took. */
  givenBack(amount: bigint): Lot {
    if (amount === 0n) return this;
    const remaining = amount === ALL || this.remaining === null ? this.remaining : this.remaining + amount;
    return this.with({ remaining, usedUp: false });
  }

  packedInto(containerTokenId: bigint): Lot {
    return this.with({ containerTokenId });
  }

  /** Its container was broken up by whoever held it. */
  released(custodian: string): Lot {
    return this.with({ containerTokenId: null, custodian });
  }

  offered(to: string, offerNo: bigint): Lot {
    return this.with({ pendingCustodian: to, offerNo });
  }

  /** Rejected or cancelled: as before the offer. */
  offerClosed(): Lot {
    return this.with({ pendingCustodian: null });
  }

  heldBy(custodian: string): Lot {
    return this.with({ custodian, pendingCustodian: null });
  }

  /** A party has another address from now on: what it holds or is offered follows. */
  walletMoved(from: string, to: string): Lot {
    const moved = (address: string | null): string | null => (address === from ? to : address);
    return this.with({ custodian: moved(this.custodian)!, pendingCustodian: moved(this.pendingCustodian) });
  }

  /** Wholly: `remaining` stays as what was retired. */
  retired(reason: RetireReason, at: Landing): Lot {
    return this.with({ retiredAt: at.time, retireReason: reason });
  }

  /** @param amount ALL or a part; a part that leaves nothing retires the lot */
  retiredInPart(amount: bigint, reason: RetireReason, at: Landing): Lot {
    if (amount === ALL || this.remaining === null || amount === this.remaining) return this.retired(reason, at);
    return this.with({ remaining: this.remaining - amount, outThere: this.outThere + (OUT_THERE.has(reason) ? amount : 0n) });
  }

  recalled(at: Landing): Lot {
    return this.with({ recalledAt: at.time });
  }

  recallLifted(): Lot {
    return this.with({ recalledAt: null });
  }

  tainted(): Lot {
    return this.with({ holdsRecalled: true });
  }

  closed(at: Landing): Lot {
    return this.with({ toBlock: at.block, toLog: at.logIndex });
  }

  startingAt(at: Landing): Lot {
    return this.with({ fromBlock: at.block, fromLog: at.logIndex, toBlock: null, toLog: null });
  }

  private with(changes: Partial<ChangingFacts & Span>): Lot {
    return Object.assign(new Lot(), this, changes);
  }
}

/** GS1 Digital Link of a lot whose asset type has a GTIN and whose code fits AI (10); else it has none (domain-decisions §1). */
export const digitalLink = (gtin: string | null, tlc: string | null): string | null =>
  gtin !== null && tlc !== null && tlc.length <= 20 ? `https://id.gs1.org/01/${gtin}/10/${encodeURIComponent(tlc)}` : null;
