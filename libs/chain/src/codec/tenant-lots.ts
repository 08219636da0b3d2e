import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { DomainError, invalidContent, refusal } from '#kernel';
import type { TenantCreatedArgs, TenantLotsEventName, TenantLotsEvents } from '../logs.js';
import { UnfitArgument } from './abi-type.js';
import { ContractCodec, type ContractMethod, type Decoded, type RawLog } from './contract-codec.js';

export const tenantLots = new ContractCodec(tenantLotsAbi);
export const tenantRegistry = new ContractCodec(tenantRegistryAbi);

/** The events that the projection follows. Transfer and the approvals are ERC-721's view, which it never reads. */
const FOLLOWED: Readonly<Record<TenantLotsEventName, true>> = {
  EventRecorded: true,
  LotMinted: true,
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

/** Newest version of TenantLots (as the registry counts them) whose logs this code reads. */
export const NEWEST_CONTRACT_VERSION = 1;

export type DecodedLog = {
  [Name in TenantLotsEventName]: { readonly name: Name; readonly args: TenantLotsEvents[Name] };
}[TenantLotsEventName];

export const tenantLotsTopics: ReadonlySet<string> = new Set(Object.keys(FOLLOWED).map((name) => tenantLots.topicOf(name)!));
export const tenantCreatedTopic: string = tenantRegistry.topicOf('TenantCreated')!;

/** A log of a tenant's contract, or null when the projection does not follow its event. @throws MalformedAbi */
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

/** The contract's reason in the revert data of a failed call; null when the data says nothing. */
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
 * Calldata of a state-changing method of the tenant's contract. Integers as bigint, safe number or decimal string, bytes
 * as hex, structs as objects by field name or as arrays.
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
