import { type Actor, type Hex, atPointer, eventIdBytes } from '#kernel';
import type { EventSubmission } from '../contract.js';
import { type Preparation, inputLines, mainTlc, outputLines } from './canonical-event.js';
import { claimOfLot, claimOfTlc } from './event-context.js';
import { touchesInputs } from './event-lots.js';
import { placeOf } from './event-reading.js';
import { declaredLossKg, massRules } from './mass-facts.js';
import { processIdOf } from './process-map.js';
import type { ExaminedEvent } from './validation.js';

/** The first half of a row of `traceability.event`, by column. */
export interface PreparedEventRow {
  readonly columns: Readonly<Record<string, unknown>>;
  readonly claims: readonly string[];
}

interface Stored {
  readonly cid: string;
  readonly dataHash: Hex;
}

interface Call {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly calldata: string;
}

export function preparedRow(
  actor: Actor,
  event: ExaminedEvent,
  submission: EventSubmission,
  preparation: Preparation,
  result: { readonly stored: Stored; readonly call: Call; readonly warnings: readonly string[]; readonly ttlSeconds: number },
): PreparedEventRow {
  const { published, reading } = event;
  const { process, map, processType } = published;
  const { preparedAt, eventId } = preparation;
  const rules = massRules(process, map.document.defaults);
  return {
    columns: {
      tenant_id: actor.tenantId,
      id: eventId,
      chain_event_id: eventIdBytes(eventId),
      status: 'prepared',
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
      record_time: preparedAt.toISOString(),
      late: event.late,
      actor_address: preparation.preparedBy,
      org_id: actor.orgId,
      input_token_ids: event.draws.map(({ input }) => Number(input.tokenId)),
      inputs: inputLines(event),
      output_tlc: mainTlc(event),
      output_custodian: event.outputs[0]?.custodian ?? null,
      outputs: outputLines(event),
      location: reading.location,
      metadata: submission.metadata,
      documents: documentsOf(event, submission),
      kde: event.kde,
      declared_loss_kg: declaredLossKg(submission.metadata, placeOf(process, 'losses')),
      yield_min: rules.yieldMin,
      yield_max: rules.yieldMax,
      mass_tolerance: rules.tolerance,
      warnings: result.warnings,
      ipfs_cid: result.stored.cid,
      data_hash: result.stored.dataHash,
      expected: { method: result.call.method, from: preparation.preparedBy, args: asStrings(result.call.args) },
      calldata: result.call.calldata,
      prepared_by: actor.id,
      expires_at: new Date(preparedAt.getTime() + result.ttlSeconds * 1000).toISOString(),
      output_token_ids: [],
      calldata_mismatch: false,
      resolved: true,
      supersedes: preparation.correction?.supersedes ?? null,
      declared_reason: preparation.correction?.reason ?? null,
      created_at: preparedAt.toISOString(),
      updated_at: preparedAt.toISOString(),
    },
    claims: claimsOf(event),
  };
}

/** What an event reaches for: the codes that it mints, the lots that it draws on. */
export const claimsOf = (event: ExaminedEvent): readonly string[] => [
  ...event.outputs.map((output) => claimOfTlc(output.tlc)),
  ...(touchesInputs(event.published.process) ? event.draws.map(({ input }) => claimOfLot(input.tokenId)) : []),
];

function documentsOf(event: ExaminedEvent, submission: EventSubmission): unknown {
  const documents = atPointer(submission.metadata, placeOf(event.published.process, 'documents'));
  return Array.isArray(documents) ? documents : [];
}

/** Integers of the chain as decimal strings, which JSON keeps exactly. */
export function asStrings(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(asStrings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asStrings(member)]));
}
