import type { Hex } from '#kernel';
import type { ExpectedCall, MintedOutput, Recording } from '../events/event-record.js';
import { ALL } from '../lots/lot.js';

/** Whether another call landed than the one that was prepared (docs/spec/api.md#events-and-transactions: then the values of the chain count). */
export function calldataDiffers(expected: ExpectedCall | null, landed: Recording): boolean {
  if (!expected) return false;
  const { args } = expected;
  const event = expected.method === 'recordEvent' ? args : ((args['e'] ?? args['event'] ?? {}) as Record<string, unknown>);
  if (!sameHex(event['processId'], landed.processId) || !sameHex(event['dataHash'], landed.dataHash)) return true;
  if (expected.method === 'amendEvent') return landed.inputTokenIds.length > 0 || landed.outputs.length > 0;
  if (expected.method !== 'recordEvent')
    return landed.outputs.length > 0 || landed.consumed.length > 0 || !sameIntegers(args['tokenIds'], namedBy(landed));
  return (
    Number(args['containmentMode']) !== landed.containmentMode ||
    !sameIntegers(args['inputTokenIds'], landed.inputTokenIds) ||
    !drawsAsPrepared(args['inputQuantities'], landed.consumed) ||
    !sameOutputs(args['outputs'], landed.outputs)
  );
}

/** How much of a lot a call moved. */
export interface Moved {
  /** Millionths of its unit; null of an unmeasured lot. */
  readonly quantity: bigint | null;
  /** It was all that there was of the lot. */
  readonly isWhole: boolean;
}

/** Whether the call moved other quantities than the prepared one, which moved all of each lot where it has no quantities. */
export function quantitiesDiffer(expected: ExpectedCall | null, moved: readonly Moved[]): boolean {
  if (!expected) return false;
  const wanted = integers(expected.args['quantities']);
  return moved.some(({ quantity, isWhole }, i) => ((wanted[i] ?? ALL) === ALL ? !isWhole : wanted[i] !== quantity));
}

/** What a hand-over moved of a lot, which has its quantity already: offered parts are lots, and what is left of an accepted one is another. */
export function handedOver(expected: ExpectedCall | null, { splitFrom }: Recording, lot: HandedOver | undefined): Moved | null {
  if (!lot) return null;
  const isOffer = expected?.method.startsWith('offer');
  if (!isOffer && !expected?.method.startsWith('accept')) return null;
  const isPart = isOffer ? splitFrom.has(lot.tokenId) : [...splitFrom.values()].includes(lot.tokenId);
  return { quantity: lot.remaining, isWhole: !isPart };
}

interface HandedOver {
  readonly tokenId: bigint;
  /** Millionths of its unit; null of an unmeasured lot. */
  readonly remaining: bigint | null;
}

/** The lots as the call named them: the log has the parts that it split from them. */
const namedBy = ({ inputTokenIds, splitFrom }: Recording): readonly bigint[] => inputTokenIds.map((id) => splitFrom.get(id) ?? id);

const sameHex = (prepared: unknown, landed: Hex): boolean =>
  typeof prepared === 'string' && prepared.toLowerCase() === landed.toLowerCase();

const integers = (value: unknown): bigint[] => (Array.isArray(value) ? value.map((item) => BigInt(item as string)) : []);

function sameIntegers(prepared: unknown, landed: readonly bigint[]): boolean {
  const wanted = integers(prepared);
  return wanted.length === landed.length && wanted.every((value, i) => value === landed[i]);
}

/** "All" was prepared and an amount landed: what was left at that moment. */
function drawsAsPrepared(prepared: unknown, landed: readonly bigint[]): boolean {
  const wanted = integers(prepared);
  return wanted.length === landed.length && wanted.every((value, i) => (value === ALL ? landed[i] !== 0n : value === landed[i]));
}

function sameOutputs(prepared: unknown, landed: readonly MintedOutput[]): boolean {
  const wanted = Array.isArray(prepared) ? (prepared as Record<string, unknown>[]) : [];
  return (
    wanted.length === landed.length &&
    wanted.every((output, i) => {
      const minted = landed[i]!;
      return (
        sameHex(output['tlcHash'], minted.tlcHash) &&
        sameHex(output['assetType'], minted.assetType) &&
        output['custodian'] === minted.custodian &&
        BigInt((output['quantity'] ?? 0) as string) === minted.quantity &&
        BigInt((output['expiresAt'] ?? 0) as string) === minted.expiresAt
      );
    })
  );
}
