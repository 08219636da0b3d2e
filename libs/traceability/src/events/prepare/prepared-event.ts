import { ALL } from '../../lots/lot.js';
import { type Hex, eventIdBytes, fromMicro, type Actor, atPointer, type Json } from '#kernel';
import type { ContractCall, EventReference, ErrorReason, EventSubmission } from '../../contract/preparation.js';
import { assetTypeHash, processIdOf } from '../../process-maps/process-map.js';
import type { ExaminedEvent } from '../rules/event.rules.js';
import { reservationOfLot, reservationOfKey, placeOf } from '../../process-maps/event-reading.js';
import type { Output } from '../rules/event-outputs.rules.js';
import { touchesInputs } from '../rules/event-lots.rules.js';
import { declaredLossKg, massRules } from '../rules/event-amounts.rules.js';

/** What an operator may set about events; this is the default. */
export class PreparationSettings {
  readonly preparedTtlSeconds: number = 7 * 86_400;
}

/** Where and by whom an event is prepared. */
export interface Preparation {
  readonly eventId: string;
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
 * What is stored (docs/spec/domain.md#sealed-contents, docs/spec/api.md#events-and-transactions): its reader has the texts of what the chain keeps as
 * hashes. Quantities are decimal numbers of `uom`; null = all of an unmeasured lot, or nothing drawn.
 */
export function contentOf(event: ExaminedEvent, submission: EventSubmission, preparation: Preparation): { readonly [key: string]: Json } {
  const { map, processType } = event.published;
  return {
    processType,
    processMap: map.name,
    processMapVersion: map.version,
    processMapCid: map.cid,
    inputTokenIds: event.draws.map(({ input }) => Number(input.tokenId)),
    inputs: inputLines(event).map(({ tokenId, quantity, uom }) => ({ tokenId, quantity, uom })),
    outputTlc: mainTlc(event),
    outputCustodian: event.outputs[0]?.custodian ?? null,
    outputs: event.outputs.map((output) => ({
      ...namesOf(output),
      assetType: output.assetType,
      custodian: output.custodian,
      quantity: decimal(output.quantity),
      uom: output.uom,
      expiresAt: output.expiresAt?.toISOString() ?? null,
    })),
    preparedBy: preparation.preparedBy,
    preparedAt: preparation.preparedAt.toISOString(),
    ...preparation.correction,
    metadata: submission.metadata as Json,
  };
}

export const mainTlc = (event: ExaminedEvent): string | null => event.outputs.find((output) => output.role === 'main')?.tlc ?? null;

export const decimal = (micro: bigint | null): number | null => (micro === null || micro === ALL ? null : Number(fromMicro(micro)));

/** Inputs as the event record shows them (docs/spec/domain.md#event-record), plus what became of them. */
const inputLines = (event: ExaminedEvent) =>
  event.draws.map(({ input, amount }) => ({
    tokenId: Number(input.tokenId),
    tlc: input.lot?.tlc ?? null,
    gtin: input.lot?.gtin ?? null,
    serial: input.lot?.serial ?? null,
    assetType: input.lot?.assetType ?? null,
    quantity: amount === 0n ? null : decimal(amount),
    uom: input.lot?.uom ?? null,
    consumption: event.published.process.inputs.consumption,
  }));

const namesOf = ({ tlc, gtin, serial, key }: Output) => ({ tlc, gtin, serial, key: key.text });

const outputLines = (event: ExaminedEvent) =>
  event.outputs.map((output) => ({
    tokenId: null,
    ...namesOf(output),
    tlcHash: output.key.hash,
    assetType: output.assetType,
    role: output.role,
    quantity: decimal(output.quantity),
    uom: output.uom,
    custodian: output.custodian,
    expiresAt: output.expiresAt?.toISOString() ?? null,
  }));

export const eventRef = (eventId: string, processType: string, dataHash: Hex): EventReference => ({
  eventId: eventIdBytes(eventId),
  processId: processIdOf(processType),
  dataHash,
});

/** A disposal is a `retire` call with its event; every other kind is `recordEvent` (docs/spec/api.md#events-and-transactions). */
export function contractCall(event: ExaminedEvent, metadata: EventSubmission['metadata'], ref: EventReference): ContractCall {
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
        tlcHash: output.key.hash,
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

/** R_* of contracts/src/LotWord.sol by CBV disposition (docs/spec/domain.md#lot-status). */
const REASONS: Readonly<Record<string, number>> = { retail_sold: 1, disposed: 2, destroyed: 3, unknown: 4, dispensed: 5 };

const retireReason = (disposition: string, metadata: EventSubmission['metadata']): number =>
  metadata['reason'] === 'sample' ? 5 : (REASONS[disposition] ?? 2);

/** The first half of a row of `traceability.event`, by column. */
export interface PreparedRow {
  readonly columns: Readonly<Record<string, unknown>>;
  readonly reservations: readonly string[];
}

interface StoredContent {
  readonly cid: string;
  readonly dataHash: Hex;
}

interface PreparedContractCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly calldata: string;
}

/** What became of an event that the chain would accept: its content, its call and how long it stays open. */
interface PreparedResult {
  readonly stored: StoredContent;
  readonly call: PreparedContractCall;
  readonly warnings: readonly string[];
  readonly ttlSeconds: number;
}

export const preparedRow = (
  actor: Actor,
  event: ExaminedEvent,
  submission: EventSubmission,
  preparation: Preparation,
  result: PreparedResult,
): PreparedRow => ({
  columns: {
    tenant_id: actor.tenantId,
    org_id: actor.orgId,
    prepared_by: actor.id,
    status: 'prepared',
    ...processColumns(event, preparation),
    ...contentColumns(event, submission),
    ...preparationColumns(preparation, result),
  },
  reservations: reservationsOf(event),
});

function processColumns({ published, reading, kde, late }: ExaminedEvent, preparation: Preparation) {
  const { process, map, processType } = published;
  const rules = massRules(process, map.document.defaults);
  return {
    process_type: processType,
    process_id: processIdOf(processType),
    process_label: process.label,
    process_map_name: map.name,
    process_map_version: map.version,
    process_map_cid: map.cid,
    kind: process.kind,
    // An amendment does nothing to lots, whatever the process does.
    containment_mode: preparation.correction ? 0 : process.containmentMode,
    event_time: reading.eventTime?.toISOString() ?? null,
    event_time_zone_offset: reading.eventTimeZoneOffset,
    late,
    kde,
    yield_min: rules.yieldMin,
    yield_max: rules.yieldMax,
    mass_tolerance: rules.tolerance,
  };
}

const contentColumns = (event: ExaminedEvent, submission: EventSubmission) => ({
  input_token_ids: event.draws.map(({ input }) => Number(input.tokenId)),
  inputs: inputLines(event),
  output_tlc: mainTlc(event),
  output_custodian: event.outputs[0]?.custodian ?? null,
  outputs: outputLines(event),
  location: event.reading.location,
  metadata: submission.metadata,
  documents: documentsOf(event, submission),
  declared_loss_kg: declaredLossKg(submission.metadata, placeOf(event.published.process, 'losses')),
});

function preparationColumns(preparation: Preparation, { stored, call, warnings, ttlSeconds }: PreparedResult) {
  const { preparedAt, preparedBy, eventId, correction } = preparation;
  const at = preparedAt.toISOString();
  return {
    id: eventId,
    chain_event_id: eventIdBytes(eventId),
    record_time: at,
    actor_address: preparedBy,
    warnings,
    ipfs_cid: stored.cid,
    data_hash: stored.dataHash,
    content_version: 2,
    content_state: 'open',
    expected: { method: call.method, from: preparedBy, args: asStrings(call.args) },
    calldata: call.calldata,
    expires_at: new Date(preparedAt.getTime() + ttlSeconds * 1000).toISOString(),
    output_token_ids: [],
    calldata_mismatch: false,
    sender_mismatch: false,
    resolved: true,
    supersedes: correction?.supersedes ?? null,
    declared_reason: correction?.reason ?? null,
    created_at: at,
    updated_at: at,
  };
}

/** What an event reserves: the codes that it mints, the lots that it draws on. */
export const reservationsOf = (event: ExaminedEvent): readonly string[] => [
  ...event.outputs.map((output) => reservationOfKey(output.key.text)),
  ...(touchesInputs(event.published.process) ? event.draws.map(({ input }) => reservationOfLot(input.tokenId)) : []),
];

function documentsOf(event: ExaminedEvent, submission: EventSubmission): unknown {
  const documents = atPointer(submission.metadata, placeOf(event.published.process, 'documents'));
  return Array.isArray(documents) ? documents : [];
}

/** Integers of the chain as decimal strings, which JSON keeps exactly. */
function asStrings(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(asStrings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asStrings(member)]));
}
