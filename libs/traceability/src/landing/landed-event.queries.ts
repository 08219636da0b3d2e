import { scoreKdes } from '../events/rules/event-soft.rules.js';
import { declaredLossKg, massRules, massSums } from '../events/rules/event-amounts.rules.js';
import type { LandedEvent } from './landed-event.js';

type Part = Readonly<Record<string, unknown>>;

/** Columns of an event's row that landing writes, by where their values come from. */
export interface Parts {
  readonly landed: Part;
  readonly masses: Part;
  readonly chain: Part;
  readonly content: Part;
}

/** What landing writes of an event: all columns of an external one, what changes of one that was prepared here. */
export function columnsOf(event: LandedEvent): Part {
  const landed = { ...landedColumns(event), ...massColumns(event) };
  if (event.own && !event.calldataMismatch) return { ...landed, outputs: event.outputs, ...(event.namesParts && inputColumns(event)) };
  if (event.own) return { ...landed, ...chainColumns(event) };
  return { ...landed, ...chainColumns(event), ...contentColumns(event) };
}

/** The columns of an external event in parts: put together they would be a hash table each, and a history has many. */
export const partsOf = (event: LandedEvent): Parts => ({
  landed: landedColumns(event),
  masses: massColumns(event),
  chain: chainColumns(event),
  content: contentColumns(event),
});

function landedColumns(event: LandedEvent): Part {
  const { recording } = event;
  return {
    status: 'recorded',
    actor_address: recording.actor,
    org_id: event.orgId,
    landed_at: recording.at.time,
    updated_at: recording.at.time,
    block_number: recording.at.block,
    block_hash: recording.blockHash,
    log_index: recording.at.logIndex,
    tx_log_index: recording.txLogIndex,
    tx_hash: recording.txHash,
    chain_id: recording.chainId,
    contract_address: recording.contract,
    // Also where nothing was minted: the chain committed to it.
    first_output_token_id: String(recording.firstOutputId),
    output_token_ids: event.outputTokenIds.map(String),
    consumed: recording.consumed.map(String),
    calldata_mismatch: event.calldataMismatch,
    sender_mismatch: event.senderMismatch,
    resolved: event.resolved,
    supersedes: event.supersedes,
  };
}

function massColumns(event: LandedEvent): Part {
  const { inputs, outputs, recording, map } = event;
  const sums = massSums({ containmentMode: recording.containmentMode, inputs, outputs }, map?.assetTypes ?? {});
  return {
    input_kg: sums?.inputKg ?? null,
    main_output_kg: sums?.mainOutputKg ?? null,
    co_product_kg: sums?.coProductKg ?? null,
  };
}

const inputColumns = ({ recording, inputs }: LandedEvent): Part => ({ input_token_ids: recording.inputTokenIds.map(String), inputs });

function chainColumns(event: LandedEvent): Part {
  const { recording, outputs } = event;
  return {
    process_type: event.processType,
    process_id: recording.processId,
    process_label: event.process?.label ?? null,
    kind: event.kind,
    containment_mode: recording.containmentMode,
    ...inputColumns(event),
    outputs,
    output_tlc: outputs[0]?.tlc ?? null,
    output_custodian: outputs[0]?.custodian ?? null,
  };
}

function contentColumns(event: LandedEvent): Part {
  const { content } = event;
  const { process } = event;
  const location = event.wellKnown('location');
  const documents = event.wellKnown('documents');
  const rules = process ? massRules(process, event.map?.defaults ?? undefined) : null;
  return {
    process_map_name: event.processMapName,
    process_map_version: event.processMapVersion,
    process_map_cid: content?.processMapCid ?? event.map?.cid ?? null,
    content_version: content?.version ?? null,
    content_state: event.contentState,
    erased: content?.erased ?? [],
    event_time: event.eventTime,
    event_time_zone_offset: event.eventTimeZoneOffset,
    late: event.late,
    location: typeof location === 'object' && !Array.isArray(location) ? location : null,
    metadata: content?.metadata ?? null,
    documents: Array.isArray(documents) ? documents : [],
    kde: content && process ? scoreKdes({ process }, content.metadata) : null,
    declared_loss_kg: content ? declaredLossKg(content.metadata, process?.fields?.losses ?? '/losses') : null,
    yield_min: rules?.yieldMin ?? null,
    yield_max: rules?.yieldMax ?? null,
    mass_tolerance: rules?.tolerance ?? null,
    warnings: [],
    ipfs_cid: event.recording.cid,
    data_hash: event.recording.dataHash,
    declared_reason: content?.reason ?? null,
  };
}
