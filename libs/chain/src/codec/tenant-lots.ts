import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { DomainError, type Hex, invalidContent, refusal } from '#kernel';
import { UnfitArgument } from './abi-type.js';
import { ContractCodec, type ContractMethod, type Decoded, type RawLog } from './contract-codec.js';

/**
 * Arguments of every event of the tenant's contract that the indexer follows, as contracts/src/TenantLots.sol emits them. Addresses
 * are EIP-55, token ids and quantities bigint (millionths of the lot's unit, MAX_UINT256 = all of an unmeasured lot).
 */
export interface TenantLotsEvents {
  EventRecorded: {
    readonly eventId: Hex;
    readonly processId: Hex;
    readonly actor: string;
    readonly dataHash: Hex;
    readonly containmentMode: number;
    readonly inputTokenIds: readonly bigint[];
    /** Quantity consumed of each input; empty for modes 1 and 2 and for events that are attached to a custody or retire call. */
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
  /** A part of a lot is a lot of its own from now on. Reason 0: to be offered; 1 shortage, 2 damaged, 3 refused: its receiver left it. */
  LotSplit: { readonly tokenId: bigint; readonly partId: bigint; readonly quantity: bigint; readonly reason: number };
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

/** The only event of the registry that the service uses: a tenant's contract was created. */
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

interface DecodedContractLog<Name extends string, Args> {
  readonly name: Name;
  readonly args: Args;
  /** Contract address, EIP-55. */
  readonly contract: string;
  readonly block: BlockRef;
  readonly txHash: Hex;
  /** Position in the block. It changes when a reorg moves the transaction to another block. */
  readonly logIndex: number;
  /** Position among the followed logs of its transaction. It does not change in a reorg. */
  readonly txLogIndex: number;
}

/** One log of a tenant's contract, decoded; `switch (log.name)` narrows `args`. */
export type ContractLog = { [Name in TenantLotsEventName]: DecodedContractLog<Name, TenantLotsEvents[Name]> }[TenantLotsEventName];
export type RegistryLog = DecodedContractLog<'TenantCreated', TenantCreatedArgs>;

export const tenantLots = new ContractCodec(tenantLotsAbi);
export const tenantRegistry = new ContractCodec(tenantRegistryAbi);

/** The events that the indexer follows. It does not use ERC-721's own events, Transfer and the approvals. */
const FOLLOWED: Readonly<Record<TenantLotsEventName, true>> = {
  EventRecorded: true,
  LotMinted: true,
  LotSplit: true,
  EventVoided: true,
  EventAmended: true,
  CustodyOffered: true,
  CustodyAccepted: true,
  CustodyRejected: true,
  CustodyCancelled: true,
  CustodyMoved: true,
  LotsRecalled: true,
  RecallLifted: true,
  LotsRetired: true,
  RolesChanged: true,
  ProcessScopeChanged: true,
  DirectReceiptChanged: true,
  WalletProposed: true,
  WalletVetoed: true,
  WalletMoved: true,
  PausedUntil: true,
};

/**
 * Newest version of TenantLots (in the numbering of the registry) whose logs this code supports. Version 2 guards recalled lots against wallet
 * moves; its logs are those of version 1. Version 3 splits lots in a hand-over (`LotSplit`). A registry that never had the earlier code
 * publishes it as version 1.
 */
export const NEWEST_CONTRACT_VERSION = 3;

export type DecodedLog = {
  [Name in TenantLotsEventName]: { readonly name: Name; readonly args: TenantLotsEvents[Name] };
}[TenantLotsEventName];

export const tenantLotsTopics: ReadonlySet<string> = new Set(Object.keys(FOLLOWED).map((name) => tenantLots.topicOf(name)!));
export const tenantCreatedTopic: string = tenantRegistry.topicOf('TenantCreated')!;

/** A log of a tenant's contract, or null when the indexer does not follow its event. @throws MalformedAbi */
export function decodeLog(log: RawLog): DecodedLog | null {
  if (!tenantLotsTopics.has(log.topics[0] ?? '')) return null;
  const decoded = tenantLots.decodeLog(log)!;
  // A count of at most 200 in a uint256: the contract's limits make it a plain number.
  if (decoded.name === 'EventRecorded') Object.assign(decoded.args, { outputCount: Number(decoded.args['outputCount']) });
  return decoded as unknown as DecodedLog;
}

export function decodeRegistryLog(log: RawLog): TenantCreatedArgs | null {
  return log.topics[0] === tenantCreatedTopic ? (tenantRegistry.decodeLog(log)!.args as unknown as TenantCreatedArgs) : null;
}

/** The contract's error in the revert data of a failed call; null when the data contains none. */
export const decodeRevert = (data: string): Decoded | null => tenantLots.decodeError(data) ?? tenantRegistry.decodeError(data);

/** State-changing methods of the tenant's contract with their parameters. */
export const methodsOf = (): readonly ContractMethod[] => tenantLots.stateChanging();

export const unknownMethod = refusal(
  'unknown_method',
  422,
  (method: string) => `The contract has no state-changing method ${method}.`,
  () => ({ methods: methodsOf().map((method) => method.signature) }),
);

/**
 * Calldata of a state-changing method of the tenant's contract. Integers are bigints, safe numbers or decimal strings, bytes are hex,
 * structs are objects by field name or arrays.
 * @throws DomainError 422 `unknown_method` (with the list), `invalid_content` with the pointer of the argument below `/args`
 */
export function encodeCall(method: string, args: readonly unknown[]): string {
  try {
    const data = tenantLots.encodeCall(method, args);
    if (data === null) throw unknownMethod(method);
    return data;
  } catch (error) {
    if (!(error instanceof UnfitArgument)) throw error;
    throw unfit(error);
  }
}

const unfit = (error: UnfitArgument): DomainError =>
  invalidContent([
    { pointer: `/args${error.path}`, code: 'invalid_argument', message: `${error.path.slice(1) || 'The call'} ${error.message}.` },
  ]);
