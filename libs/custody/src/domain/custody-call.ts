import { type Hex, ZERO_BYTES32 } from '#kernel';
import type { CustodyAction, CustodyOrder } from './custody-order.js';

export interface EventReference {
  readonly eventId: Hex;
  readonly processId: Hex;
  readonly dataHash: Hex;
}

export const noEvent = (dataHash: Hex = ZERO_BYTES32): EventReference => ({ eventId: ZERO_BYTES32, processId: ZERO_BYTES32, dataHash });

/** A call of the tenant's contract: arguments by name, in the order of the ABI (contracts/src/TenantLots.sol). */
export interface CustodyCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export const CUSTODY_METHODS: Readonly<Record<CustodyAction, string>> = {
  offer: 'offerCustody',
  accept: 'acceptCustody',
  reject: 'rejectCustody',
  cancel: 'cancelCustody',
};

export function custodyCall(order: CustodyOrder, offerNo: bigint | null, event: EventReference): CustodyCall {
  const method = CUSTODY_METHODS[order.action];
  const { tokenIds } = order; // in the order of the request: an event that rides on the call commits to it
  if (order.action === 'offer') return { method, args: { tokenIds, to: order.to, e: event } };
  if (order.action === 'accept') return { method, args: { no: offerNo, tokenIds, e: event } };
  return { method, args: { no: offerNo, tokenIds, dataHash: event.dataHash } };
}
