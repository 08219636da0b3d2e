import { LEAVES_SUPPLY_CHAIN, type RetireReason } from './lot-reasons.js';
import { type Hex, ZERO_BYTES32, derivedId, digitalLinkOf, fromMicro } from '#kernel';

export { RETIRE_REASONS, type RetireReason } from './lot-reasons.js';

/** "All that is left", of a lot without a quantity too. */
export const ALL = (1n << 256n) - 1n;

/** Where and when a log landed. */
export interface Landing {
  readonly block: number;
  readonly logIndex: number;
  readonly time: Date;
}

/** What is set when a lot is minted. Only the expiry may be corrected. */
export interface MintFacts {
  readonly id: string;
  readonly tenantId: string;
  readonly chainId: number;
  readonly contract: string;
  readonly tokenId: bigint;
  /** The code, or its hash when the text is unknown (`resolved` false). */
  readonly tlc: string;
  /** Of the text of its key. */
  readonly tlcHash: Hex;
  /** The text of its key (docs/spec/domain.md#identifiers), or the hash of it when the text is unknown. */
  readonly key: string;
  readonly resolved: boolean;
  readonly assetType: string | null;
  readonly assetTypeHash: Hex;
  readonly assetTypeName: string | null;
  /** 14 digits. */
  readonly gtin: string | null;
  /** Of a single item. */
  readonly serial: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly uom: string | null;
  /** Kilograms of one unit; null where neither the unit nor the asset type gives it. */
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
  /** Of a part: the lot that it was split from. Its code, event, content and age are those of that lot; block and transaction of its mint are the split's. */
  readonly splitFrom: bigint | null;
}

interface ChangingFacts {
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  /** Of the latest offer, open or closed; null = never offered. */
  readonly offerNo: bigint | null;
  /** Kept when the lot is retired inside its container: a recall still marks the containers around it. */
  readonly containerTokenId: bigint | null;
  readonly remaining: bigint | null;
  /** Millionths that left the supply chain in part: sold, exported or lost. What leaves with the whole lot stays in `remaining`. */
  readonly leftSupplyChain: bigint;
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

export interface LotRow extends MintFacts, ChangingFacts, Span {}

const EPOCH = new Date(0);

/**
 * One version of a lot: its state on chain from one log (included) to another (excluded).
 * The rules are those of contracts/src/TenantLots.sol with everything a container implies written out, so that no reader
 * has to look at the containers: `custodian` of a contained lot is its outermost container's.
 *
 * Every field has a value from the start, so that all lots are of one shape: made of properties added one by one, forty of them become
 * a hash table each, which costs a backfill a third of its time.
 */
export class LotVersion implements LotRow {
  readonly id: string = '';
  readonly tenantId: string = '';
  readonly chainId: number = 0;
  readonly contract: string = '';
  readonly tokenId: bigint = 0n;
  readonly tlc: string = '';
  readonly tlcHash: Hex = ZERO_BYTES32;
  readonly key: string = '';
  readonly resolved: boolean = false;
  readonly assetType: string | null = null;
  readonly assetTypeHash: Hex = ZERO_BYTES32;
  readonly assetTypeName: string | null = null;
  readonly gtin: string | null = null;
  readonly serial: string | null = null;
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
  readonly splitFrom: bigint | null = null;
  readonly custodian: string = '';
  readonly pendingCustodian: string | null = null;
  readonly offerNo: bigint | null = null;
  readonly containerTokenId: bigint | null = null;
  readonly remaining: bigint | null = null;
  readonly leftSupplyChain: bigint = 0n;
  readonly usedUp: boolean = false;
  readonly retiredAt: Date | null = null;
  readonly retireReason: RetireReason | null = null;
  readonly recalledAt: Date | null = null;
  readonly holdsRecalled: boolean = false;
  readonly fromBlock: number = 0;
  readonly fromLog: number = 0;
  readonly toBlock: number | null = null;
  readonly toLog: number | null = null;

  static minted(facts: MintFacts, custodian: string, at: Landing): LotVersion {
    return Object.assign(new LotVersion(), facts, {
      custodian,
      remaining: facts.quantity,
      fromBlock: at.block,
      fromLog: at.logIndex,
    });
  }

  static of(version: LotRow): LotVersion {
    return Object.assign(new LotVersion(), version);
  }

  get isContainer(): boolean {
    return this.depth > 0;
  }

  get digitalLink(): string | null {
    return digitalLinkOf(this.key);
  }

  /** @param amount what the event took, as in the log: 0 = observed, ALL = all of an unmeasured lot */
  drawn(amount: bigint): LotVersion {
    if (amount === 0n) return this;
    if (amount === ALL || this.remaining === null) return this.with({ usedUp: true });
    const remaining = this.remaining - amount;
    return this.with({ remaining, usedUp: remaining === 0n });
  }

  /** A void returns what the event took. */
  givenBack(amount: bigint): LotVersion {
    if (amount === 0n) return this;
    const remaining = amount === ALL || this.remaining === null ? this.remaining : this.remaining + amount;
    return this.with({ remaining, usedUp: false });
  }

  /** A part of it as a lot of its own: the same lot with this quantity and another number. */
  part(tokenId: bigint, quantity: bigint, at: Landing, mintTx: Hex): LotVersion {
    const own = { id: derivedId('lot', this.chainId, this.contract, tokenId), tokenId, splitFrom: this.tokenId };
    const amounts = { quantity, remaining: quantity, leftSupplyChain: 0n };
    const minted = { mintTx, mintBlock: at.block };
    return Object.assign(new LotVersion(), this, own, amounts, minted).startingAt(at);
  }

  packedInto(containerTokenId: bigint): LotVersion {
    return this.with({ containerTokenId });
  }

  /** Its container was broken up by its custodian. */
  released(custodian: string): LotVersion {
    return this.with({ containerTokenId: null, custodian });
  }

  offered(to: string, offerNo: bigint): LotVersion {
    return this.with({ pendingCustodian: to, offerNo });
  }

  /** Rejected or cancelled: as before the offer. */
  offerClosed(): LotVersion {
    return this.with({ pendingCustodian: null });
  }

  heldBy(custodian: string): LotVersion {
    return this.with({ custodian, pendingCustodian: null });
  }

  /** A party has another address from now on: what it holds or is offered follows. */
  walletMoved(from: string, to: string): LotVersion {
    const moved = (address: string | null): string | null => (address === from ? to : address);
    return this.with({ custodian: moved(this.custodian)!, pendingCustodian: moved(this.pendingCustodian) });
  }

  /** Wholly: `remaining` stays as what was retired. */
  retired(reason: RetireReason, at: Landing): LotVersion {
    return this.with({ retiredAt: at.time, retireReason: reason });
  }

  /** @param amount ALL or a part; a part that leaves nothing retires the lot */
  retiredInPart(amount: bigint, reason: RetireReason, at: Landing): LotVersion {
    if (amount === ALL || this.remaining === null || amount === this.remaining) return this.retired(reason, at);
    return this.with({
      remaining: this.remaining - amount,
      leftSupplyChain: this.leftSupplyChain + (LEAVES_SUPPLY_CHAIN.has(reason) ? amount : 0n),
    });
  }

  /** The words of the event that made it were corrected. The first version keeps what is on chain. */
  expiring(at: Date | null): LotVersion {
    return at?.getTime() === this.expiresAt?.getTime() ? this : this.with({ expiresAt: at });
  }

  recalled(at: Landing): LotVersion {
    return this.with({ recalledAt: at.time });
  }

  recallLifted(): LotVersion {
    return this.with({ recalledAt: null });
  }

  tainted(): LotVersion {
    return this.with({ holdsRecalled: true });
  }

  closed(at: Landing): LotVersion {
    return this.with({ toBlock: at.block, toLog: at.logIndex });
  }

  startingAt(at: Landing): LotVersion {
    return this.with({ fromBlock: at.block, fromLog: at.logIndex, toBlock: null, toLog: null });
  }

  private with(changes: Partial<ChangingFacts & Span & Pick<MintFacts, 'expiresAt'>>): LotVersion {
    return Object.assign(new LotVersion(), this, changes);
  }
}

/** A JSON number while it is exact, else its decimal string (docs/spec/api.md#conventions). A division is rounded like the reading of the text. */
export const decimal = (micro: bigint): number | string => (micro < EXACT ? Number(micro) / 1_000_000 : fromMicro(micro));
const EXACT = 1n << 53n;

/** docs/spec/domain.md#lot-status, in the order of precedence. */
export const LOT_STATUSES = ['retired', 'recalled', 'consumed', 'in_transit', 'aggregated', 'on_hold', 'expired', 'active'] as const;
export type LotStatus = (typeof LOT_STATUSES)[number];

/** What a lot's status is read from: facts on chain, holds and the clock (docs/spec/domain.md#lot-status). */
export interface StatusFacts {
  readonly retiredAt: Date | null;
  readonly recalledAt: Date | null;
  readonly usedUp: boolean;
  readonly pendingCustodian: string | null;
  readonly containerTokenId: bigint | null;
  readonly heldAt: Date | null;
  readonly expiresAt: Date | null;
}

interface Rule {
  readonly status: LotStatus;
  readonly holds: (lot: StatusFacts, now: Date) => boolean;
  /** The same over the columns of a lot version; `{held}` and `{now}` are filled in by the query. */
  readonly sql: string;
}

/** The first that holds is the status. One table for code and SQL, so that a list cannot filter by another rule than it shows. */
export const STATUS_RULES: readonly Rule[] = [
  { status: 'retired', holds: (lot) => lot.retiredAt !== null, sql: '{lot}.retired_at is not null' },
  { status: 'recalled', holds: (lot) => lot.recalledAt !== null, sql: '{lot}.recalled_at is not null' },
  { status: 'consumed', holds: (lot) => lot.usedUp, sql: '{lot}.used_up' },
  { status: 'in_transit', holds: (lot) => lot.pendingCustodian !== null, sql: '{lot}.pending_custodian is not null' },
  { status: 'aggregated', holds: (lot) => lot.containerTokenId !== null, sql: '{lot}.container_token_id is not null' },
  { status: 'on_hold', holds: (lot) => lot.heldAt !== null, sql: '{held} is not null' },
  { status: 'expired', holds: (lot, now) => lot.expiresAt !== null && lot.expiresAt <= now, sql: '{lot}.expires_at <= {now}' },
  { status: 'active', holds: () => true, sql: 'true' },
];

export const lotStatus = (lot: StatusFacts, now: Date): LotStatus => STATUS_RULES.find((rule) => rule.holds(lot, now))!.status;

/** A SQL expression of text; the three arguments are SQL themselves, never input. */
export const lotStatusSql = (lot: string, held: string, now: string): string =>
  `case ${STATUS_RULES.map(
    ({ status, sql }) => `when ${sql.replaceAll('{lot}', lot).replaceAll('{held}', held).replaceAll('{now}', now)} then '${status}'`,
  ).join(' ')} end`;
