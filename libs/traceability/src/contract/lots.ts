import type { TenantTx } from '#persistence';
import type { LotStatus } from '../domain/lot-status.js';

export { LOT_STATUSES, type LotStatus } from '../domain/lot-status.js';

/** The current facts about a lot that other contexts decide by. Quantities in millionths of the lot's own unit. */
export interface LotFacts {
  readonly tokenId: bigint;
  /** The code, or its hash when the text is unknown (`resolved` false). */
  readonly tlc: string;
  readonly resolved: boolean;
  readonly assetType: string | null;
  readonly processMapName: string | null;
  readonly status: LotStatus;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  readonly offerNo: bigint | null;
  readonly containerTokenId: bigint | null;
  readonly isContainer: boolean;
  readonly recalled: boolean;
  readonly holdsRecalled: boolean;
  readonly onHold: boolean;
  readonly mintEventId: string;
  readonly mintBlock: number;
  /** Null for an unmeasured lot. */
  readonly quantity: bigint | null;
  readonly remaining: bigint | null;
  readonly uom: string | null;
}

/** A place in the chain's order. */
export interface ChainMoment {
  readonly block: number;
  readonly logIndex: number;
}

/** How a lot came to be. */
export interface Mint {
  readonly tokenId: bigint;
  readonly tlc: string;
  /** Its first custodian, EIP-55. */
  readonly custodian: string;
  readonly at: Date;
  readonly block: number;
  readonly txHash: string;
  readonly eventId: string;
}

/** Lots as they are now, and how they came to be. */
export abstract class Lots {
  /** Null where there is no such lot. */
  abstract mintOf(tx: TenantTx, tokenId: bigint): Promise<Mint | null>;
  /** The known ones among these, any order. */
  abstract byTokenIds(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly LotFacts[]>;
  /** Those among these that are on hold, or hold a lot that is at any depth. @returns for each one lot on hold: itself before one inside */
  abstract heldWithin(tx: TenantTx, tokenIds: readonly bigint[]): Promise<ReadonlyMap<bigint, bigint>>;
  /** Everything that lay inside a container right after the log at `moment`, at any depth. */
  abstract contentsAt(
    tx: TenantTx,
    asked: readonly { readonly containerTokenId: bigint; readonly moment: ChainMoment }[],
  ): Promise<
    readonly { readonly containerTokenId: bigint; readonly moment: ChainMoment; readonly tokenId: bigint; readonly viaTokenId: bigint }[]
  >;
}

/** Off-chain stops, as lots show them. Why they stand is known to whoever places them. */
export abstract class Holds {
  /** A lot that is held already goes on showing why. */
  abstract place(tx: TenantTx, lots: readonly { readonly tokenId: bigint; readonly reason: string; readonly at: Date }[]): Promise<void>;
  /** Those that are not held stay as they are. */
  abstract release(tx: TenantTx, tokenIds: readonly bigint[]): Promise<void>;
}
