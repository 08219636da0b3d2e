import type { TenantTx } from '#persistence';
import type { LotRow, LotStatus } from '../lots/lot.js';

export { LOT_STATUSES, type LotStatus } from '../lots/lot.js';

/** The current facts about a lot that other contexts decide by. Quantities in millionths of the lot's own unit. */
export interface Lot extends Pick<LotRow, OfTheRow> {
  readonly status: LotStatus;
  readonly isContainer: boolean;
  readonly recalled: boolean;
  readonly onHold: boolean;
}

type OfTheRow =
  | ('tokenId' | 'tlc' | 'tlcHash' | 'key' | 'gtin' | 'serial' | 'resolved' | 'assetType' | 'processMapName' | 'mintEventId' | 'mintBlock')
  | ('custodian' | 'pendingCustodian' | 'offerNo' | 'containerTokenId' | 'holdsRecalled')
  | ('quantity' | 'remaining' | 'uom');

/** A place in the chain's order. */
export interface ChainMoment {
  readonly block: number;
  readonly logIndex: number;
}

/** The mint of a lot. */
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

/** Lots as they are now, and their mints. */
export abstract class Lots {
  /** Null where there is no such lot. */
  abstract mintOf(tx: TenantTx, tokenId: bigint): Promise<Mint | null>;
  /** The known ones among these, any order. */
  abstract byTokenIds(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly Lot[]>;
  /** Those among these that are on hold, or hold a lot that is at any depth. @returns for each one lot on hold: itself before one inside */
  abstract heldWithin(tx: TenantTx, tokenIds: readonly bigint[]): Promise<ReadonlyMap<bigint, bigint>>;
  /** The process in which each was made; null where it is not known. */
  abstract processesOf(tx: TenantTx, tokenIds: readonly bigint[]): Promise<ReadonlyMap<bigint, string | null>>;
  /** Everything inside a container right after the log at `moment`, at any depth. */
  abstract contentsAt(
    tx: TenantTx,
    asked: readonly { readonly containerTokenId: bigint; readonly moment: ChainMoment }[],
  ): Promise<
    readonly { readonly containerTokenId: bigint; readonly moment: ChainMoment; readonly tokenId: bigint; readonly viaTokenId: bigint }[]
  >;
}

/** Off-chain holds, as lots show them. The caller knows why a lot is held. */
export abstract class Holds {
  /** A lot that is held already keeps its reason. */
  abstract place(tx: TenantTx, lots: readonly { readonly tokenId: bigint; readonly reason: string; readonly at: Date }[]): Promise<void>;
  /** Those that are not held stay as they are. */
  abstract release(tx: TenantTx, tokenIds: readonly bigint[]): Promise<void>;
}
