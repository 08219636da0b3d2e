import type { Hex } from '#kernel';

/**
 * Arguments of every event of the tenant's contract that the projection follows, as contracts/src/TenantLots.sol emits
 * them. Addresses are EIP-55, token ids and quantities bigint (millionths of the lot's own unit, MAX_UINT256 = all of an
 * unmeasured lot).
 */
export interface TenantLotsEvents {
  EventRecorded: {
    readonly eventId: Hex;
    readonly processId: Hex;
    readonly actor: string;
    readonly dataHash: Hex;
    readonly containmentMode: number;
    readonly inputTokenIds: readonly bigint[];
    /** What each input gave; empty for modes 1 and 2 and for events that ride on a custody or retire call. */
    readonly consumed: readonly bigint[];
    readonly firstOutputId: bigint;
    readonly outputCount: number;
  };
  LotMinted: {
    readonly tokenId: bigint;
    readonly eventId: Hex;
    readonly tlcHash: Hex;
    readonly custodian: string;
    readonly quantity: bigint;
    readonly assetType: Hex;
    readonly expiresAt: bigint;
  };
  EventVoided: { readonly eventId: Hex; readonly actor: string; readonly dataHash: Hex };
  EventAmended: { readonly eventId: Hex; readonly amendmentId: Hex; readonly actor: string };
  CustodyOffered: CustodyArgs & { readonly eventId: Hex };
  CustodyAccepted: CustodyArgs & { readonly eventId: Hex };
  CustodyRejected: CustodyArgs;
  CustodyCancelled: CustodyArgs;
  CustodyMoved: { readonly tokenId: bigint; readonly from: string; readonly to: string };
  LotsRecalled: { readonly actor: string; readonly dataHash: Hex; readonly tokenIds: readonly bigint[] };
  RecallLifted: { readonly actor: string; readonly dataHash: Hex; readonly tokenIds: readonly bigint[] };
  LotsRetired: {
    readonly actor: string;
    readonly reason: number;
    readonly eventId: Hex;
    readonly tokenIds: readonly bigint[];
    readonly quantities: readonly bigint[];
    readonly dataHash: Hex;
  };
  RolesChanged: { readonly account: string; readonly roles: bigint };
  ProcessScopeChanged: { readonly account: string; readonly processId: Hex; readonly allowed: boolean };
  DirectReceiptChanged: { readonly account: string; readonly allowed: boolean };
  WalletProposed: { readonly from: string; readonly to: string; readonly readyAt: bigint; readonly by: string };
  WalletVetoed: { readonly from: string };
  WalletMoved: { readonly from: string; readonly to: string; readonly party: bigint };
  PausedUntil: { readonly until: bigint; readonly actor: string };
}

interface CustodyArgs {
  readonly offerNo: bigint;
  readonly from: string;
  readonly to: string;
  readonly tokenIds: readonly bigint[];
  readonly dataHash: Hex;
}

export type TenantLotsEventName = keyof TenantLotsEvents;

/** The registry's one event that matters: a tenant's contract came to life. */
export interface TenantCreatedArgs {
  readonly tenantId: Hex;
  readonly lots: string;
  readonly version: number;
  readonly admin: string;
  readonly predecessor: string;
  readonly name: string;
}

export interface BlockRef {
  readonly number: number;
  readonly hash: Hex;
  readonly timestamp: Date;
}

interface Landed<Name extends string, Args> {
  readonly name: Name;
  readonly args: Args;
  /** Contract address, EIP-55. */
  readonly contract: string;
  readonly block: BlockRef;
  readonly txHash: Hex;
  /** Position in the block. Changes when a reorg lands the transaction again. */
  readonly logIndex: number;
  /** Position among those of its transaction's logs that the projection follows: stays the same wherever the transaction lands. */
  readonly txLogIndex: number;
}

/** One log of a tenant's contract, decoded; `switch (log.name)` narrows `args`. */
export type LandedLog = { [Name in TenantLotsEventName]: Landed<Name, TenantLotsEvents[Name]> }[TenantLotsEventName];
export type RegistryLog = Landed<'TenantCreated', TenantCreatedArgs>;
