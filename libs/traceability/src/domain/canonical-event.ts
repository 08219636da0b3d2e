import { type Hex, eventIdBytes, fromMicro, keccakOf } from '#kernel';
import type { EventRef, EventSubmission } from '../contract.js';
import type { ErrorReason } from './correction.js';
import { ALL } from './event-amounts.js';
import { assetTypeHash, processIdOf } from './process-map.js';
import type { ExaminedEvent } from './validation.js';

/** Where and by whom an event is prepared. */
export interface Preparation {
  readonly eventId: string;
  readonly tenant: string;
  readonly chainId: number;
  readonly contract: string;
  /** EIP-55 sender. */
  readonly preparedBy: string | null;
  readonly preparedAt: Date;
  /** Of an event that corrects the content of another one. */
  readonly correction?: Correction;
}

export interface Correction {
  /** UUID of the event that was wrong. */
  readonly supersedes: string;
  readonly reason: ErrorReason;
}

/**
 * The stored object (domain-decisions §1, api-decisions §3): whoever holds it can read in words what the chain keeps as hashes.
 * Quantities are decimal numbers of `uom`; null = all of an unmeasured lot, or nothing drawn.
 */
export function envelopeOf(event: ExaminedEvent, submission: EventSubmission, preparation: Preparation): object {
  const { map, processType } = event.published;
  return {
    v: 1,
    tenant: preparation.tenant,
    chainId: preparation.chainId,
    contract: preparation.contract,
    eventId: preparation.eventId,
    processType,
    processMap: map.name,
    processMapVersion: map.version,
    processMapCid: map.cid,
    inputTokenIds: event.draws.map(({ input }) => Number(input.tokenId)),
    inputs: inputLines(event).map(({ tokenId, quantity, uom }) => ({ tokenId, quantity, uom })),
    outputTlc: mainTlc(event),
    outputCustodian: event.outputs[0]?.custodian ?? null,
    outputs: event.outputs.map((output) => ({
      tlc: output.tlc,
      assetType: output.assetType,
      custodian: output.custodian,
      quantity: decimal(output.quantity),
      uom: output.uom,
      expiresAt: output.expiresAt?.toISOString() ?? null,
    })),
    preparedBy: preparation.preparedBy,
    preparedAt: preparation.preparedAt.toISOString(),
    ...preparation.correction,
    metadata: submission.metadata,
  };
}

export const mainTlc = (event: ExaminedEvent): string | null => event.outputs.find((output) => output.role === 'main')?.tlc ?? null;

export const decimal = (micro: bigint | null): number | null => (micro === null || micro === ALL ? null : Number(fromMicro(micro)));

/** Inputs as the event record shows them (domain-decisions §2.5), plus what became of them. */
export const inputLines = (event: ExaminedEvent) =>
  event.draws.map(({ input, amount }) => ({
    tokenId: Number(input.tokenId),
    tlc: input.lot?.tlc ?? null,
    assetType: input.lot?.assetType ?? null,
    quantity: amount === 0n ? null : decimal(amount),
    uom: input.lot?.uom ?? null,
    consumption: event.published.process.inputs.consumption,
  }));

export const outputLines = (event: ExaminedEvent) =>
  event.outputs.map((output) => ({
    tokenId: null,
    tlc: output.tlc,
    tlcHash: keccakOf(output.tlc),
    assetType: output.assetType,
    role: output.role,
    quantity: decimal(output.quantity),
    uom: output.uom,
    custodian: output.custodian,
    expiresAt: output.expiresAt?.toISOString() ?? null,
  }));

/** A call of the tenant's contract: arguments by name, in the order of the ABI. */
export interface ContractCall {
  readonly method: 'recordEvent' | 'retire';
  readonly args: Readonly<Record<string, unknown>>;
}

export const eventRef = (eventId: string, processType: string, dataHash: Hex): EventRef => ({
  eventId: eventIdBytes(eventId),
  processId: processIdOf(processType),
  dataHash,
});

/** A disposal is a `retire` call with its event; every other kind is `recordEvent` (api-decisions §3). */
export function contractCall(event: ExaminedEvent, metadata: EventSubmission['metadata'], ref: EventRef): ContractCall {
  const { process } = event.published;
  const tokenIds = event.draws.map(({ input }) => input.tokenId);
  const amounts = event.draws.map(({ amount }) => amount);
  if (process.kind === 'disposal')
    return {
      method: 'retire',
      args: { tokenIds, quantities: amounts, reason_: retireReason(process.epcis.disposition, metadata), e: ref },
    };
  return {
    method: 'recordEvent',
    args: {
      eventId: ref.eventId,
      processId: ref.processId,
      inputTokenIds: tokenIds,
      inputQuantities: process.containmentMode === 0 ? amounts : [],
      outputs: event.outputs.map((output) => ({
        tlcHash: keccakOf(output.tlc),
        assetType: assetTypeHash(output.assetType),
        custodian: output.custodian,
        quantity: output.quantity ?? 0n,
        expiresAt: output.expiresAt === null ? 0n : BigInt(Math.floor(output.expiresAt.getTime() / 1000)),
      })),
      containmentMode: process.containmentMode,
      dataHash: ref.dataHash,
    },
  };
}

/** R_* of contracts/src/LotWord.sol by CBV disposition (domain-decisions §2.1). */
const REASONS: Readonly<Record<string, number>> = { retail_sold: 1, disposed: 2, destroyed: 3, unknown: 4, dispensed: 5 };

const retireReason = (disposition: string, metadata: EventSubmission['metadata']): number =>
  metadata['reason'] === 'sample' ? 5 : (REASONS[disposition] ?? 2);
