import { Injectable } from '@nestjs/common';
import type { Hex } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { LotVersion, type LotRow, type MintFacts } from '../lots/lot.js';
import type { LandedEvent } from './landed-event.js';
import { columnsOf } from './landed-event.queries.js';
import type { Line, MintedOutput, Recording } from '../events/event-record.js';
import { failTaken, type LandedCode } from './taken-codes.queries.js';
import { partsOfLots } from './lots-landing.queries.js';
import type { MapWords } from '../process-maps/process-map.js';
import { readRow, LOT_COLUMNS } from '../lots/columns.queries.js';
import { loadMapWords } from '../process-maps/process-maps.queries.js';

/** A minute, two, four … up to about eleven hours between two turns. */
const MOST_DOUBLINGS = 9;

/** A landed event whose content is not known yet. */
export interface Unresolved {
  readonly tenantId: string;
  readonly id: string;
  readonly cid: string;
  /** bytes32, lower-case hex. */
  readonly chainEventId: string;
  readonly chainId: number;
  readonly contract: string;
}

/** The event as the chain had it, and its inputs as they stood right after it. */
interface UnresolvedRecording {
  readonly recording: Recording;
  readonly orgId: string | null;
  readonly inputs: ReadonlyMap<bigint, LotVersion>;
  /** Of its inputs those that were retired with it, and how much of each. */
  readonly retired: ReadonlyMap<bigint, Line['quantity']>;
}

/** Landed events whose content could not be read when they landed. */
@Injectable()
export class UnresolvedQueries {
  /** The events that are due, longest waiting first. Sets when each is due next, so that another process does not get the same ones. */
  take(tx: SystemTx, now: Date, limit: number): Promise<readonly Unresolved[]> {
    return takeUnresolved(tx, now, limit);
  }

  /** Null when it is resolved by now, or gone with its block. */
  recording(tx: TenantTx, event: Unresolved): Promise<UnresolvedRecording | null> {
    return recordingOf(tx, event);
  }

  /** Its content will never be known. */
  async giveUp(tx: TenantTx, id: string, state: 'content_invalid'): Promise<void> {
    await tx.sql('update traceability.event set content_state = $3 where tenant_id = $1 and id = $2 and not resolved', [
      ...[tx.tenantId, id, state],
    ]);
  }

  maps(tx: TenantTx): Promise<readonly MapWords[]> {
    return loadMapWords(tx, 'all');
  }

  /** Writes the words that were found, into the event and into every version of the lots that it made. */
  write(tx: TenantTx, event: LandedEvent, now: Date): Promise<void> {
    return writeWords(tx, event, now);
  }
}

/** The next turn is fixed before anybody asks for content, so that workers share them. */
function takeUnresolved(tx: SystemTx, now: Date, limit: number): Promise<readonly Unresolved[]> {
  return tx.sql<Unresolved>(
    `with due as (
       select tenant_id, id from traceability.event
       where not resolved and block_number is not null and content_state is null and (content_next_at is null or content_next_at <= $1)
       order by content_next_at nulls first limit $2 for update skip locked)
     update traceability.event e
     set content_tries = least(content_tries + 1, $3::integer),
       content_next_at = $1::timestamptz + interval '1 minute' * power(2, content_tries)
     from due where e.tenant_id = due.tenant_id and e.id = due.id
     returning e.tenant_id as "tenantId", e.id, e.ipfs_cid as cid, e.chain_event_id as "chainEventId", e.chain_id::integer as "chainId",
       e.contract_address as contract`,
    [now, limit, MOST_DOUBLINGS],
  );
}

interface Row {
  readonly actor: string;
  readonly org_id: string | null;
  readonly process_id: Hex;
  readonly data_hash: Hex;
  readonly containment_mode: number;
  readonly landed_at: Date;
  readonly block_number: string;
  readonly block_hash: Hex;
  readonly log_index: number;
  readonly tx_hash: Hex;
  readonly tx_log_index: number;
  readonly input_token_ids: string[];
  readonly consumed: string[] | null;
  readonly first_output_token_id: string | null;
  readonly output_token_ids: string[];
  readonly inputs: readonly Line[];
}

/** The recording as it was on chain, from the columns that landing wrote. */
async function recordingOf(tx: TenantTx, { id, cid, chainEventId, chainId, contract }: Unresolved): Promise<UnresolvedRecording | null> {
  const [row] = await tx.sql<Row>(
    `select actor_address as actor, org_id, process_id, data_hash, containment_mode, landed_at, block_number, block_hash, log_index, tx_hash,
       tx_log_index, input_token_ids, consumed::text[], first_output_token_id, output_token_ids, inputs
     from traceability.event where tenant_id = $1 and id = $2 and not resolved and block_number is not null for update`,
    [tx.tenantId, id],
  );
  if (!row) return null;
  const at = { block: Number(row.block_number), logIndex: row.log_index, time: row.landed_at };
  const recording: Recording = {
    tenantId: tx.tenantId,
    chainId,
    contract,
    at,
    blockHash: row.block_hash,
    txHash: row.tx_hash,
    txLogIndex: row.tx_log_index,
    cid,
    chainEventId: chainEventId as Hex,
    processId: row.process_id,
    actor: row.actor,
    dataHash: row.data_hash,
    containmentMode: row.containment_mode,
    inputTokenIds: row.input_token_ids.map(BigInt),
    consumed: (row.consumed ?? []).map(BigInt),
    firstOutputId: BigInt(row.first_output_token_id ?? 0),
    outputs: await mintedOutputs(tx, row.output_token_ids.map(BigInt)),
    // Whether the call is the prepared one was decided when it landed.
    splitFrom: new Map(),
  };
  return { recording, orgId: row.org_id, inputs: await lotsAt(tx, recording.inputTokenIds, at), retired: retiredOf(row.inputs) };
}

/** As the log said it when the event landed. */
const retiredOf = (lines: readonly Line[]): UnresolvedRecording['retired'] =>
  new Map(
    lines.filter(({ consumption }) => consumption === 'retired').map(({ tokenId, quantity }) => [BigInt(tokenId!), quantity ?? null]),
  );

/** From the first version of each lot: later versions have changes after the mint. */
async function mintedOutputs(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly MintedOutput[]> {
  const rows = await tx.sql(
    `select distinct on (l.token_id) ${LOT_COLUMNS.map(({ name }) => `l.${name}`).join(', ')} from traceability.lot l
     where l.tenant_id = $1 and l.token_id = any($2::bigint[]) order by l.token_id, l.from_block, l.from_log`,
    [tx.tenantId, tokenIds],
  );
  return rows.map((row) => {
    const lot = readRow<LotRow>(LOT_COLUMNS, row);
    return {
      tokenId: lot.tokenId,
      tlcHash: lot.tlcHash,
      assetType: lot.assetTypeHash,
      custodian: lot.custodian,
      quantity: lot.quantity ?? 0n,
      expiresAt: lot.expiresAt === null ? 0n : BigInt(Math.round(lot.expiresAt.getTime() / 1000)),
    };
  });
}

async function lotsAt(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  at: { readonly block: number; readonly logIndex: number },
): Promise<ReadonlyMap<bigint, LotVersion>> {
  const rows = await tx.sql(
    `select distinct on (l.token_id) ${LOT_COLUMNS.map(({ name }) => `l.${name}`).join(', ')} from traceability.lot l
     where l.tenant_id = $1 and l.token_id = any($2::bigint[]) and (l.from_block, l.from_log) <= ($3::bigint, $4::integer)
     order by l.token_id, l.from_block desc, l.from_log desc`,
    [tx.tenantId, tokenIds, at.block, at.logIndex],
  );
  return new Map(rows.map((row) => readRow<LotRow>(LOT_COLUMNS, row)).map((lot) => [lot.tokenId, LotVersion.of(lot)]));
}

/** What the chain decides of an event stays as it is; only the words, and what follows from them, are written. */
const KEPT = new Set([
  'status',
  'calldata_mismatch',
  'sender_mismatch',
  'supersedes',
  'updated_at',
  'landed_at',
  'actor_address',
  'org_id',
]);

async function writeWords(tx: TenantTx, event: LandedEvent, now: Date): Promise<void> {
  const columns = Object.fromEntries(Object.entries(columnsOf(event)).filter(([name]) => !KEPT.has(name)));
  const names = Object.keys(columns);
  await tx.sql(
    `update traceability.event e
     set (${names.join(', ')}) = (select ${names.map((name) => `r.${name}`).join(', ')} from jsonb_populate_record(e, $3::jsonb) r), updated_at = $4
     where e.tenant_id = $1 and e.id = $2`,
    [tx.tenantId, event.id, JSON.stringify(columns), now],
  );
  const lots = event.recording.outputs.map((output) => event.mint(output, 0));
  const lotIds = lots.map((lot) => lot.tokenId);
  const parts = await partsOfLots(tx, lotIds);
  await writeLotWords(tx, lots, parts);
  await failTaken(tx, event.recording.chainId, codesOf(event, lots, now));
  await renameInputs(tx, [...lotIds, ...parts]);
}

/** Into every version of the lots and of their parts. */
async function writeLotWords(tx: TenantTx, lots: readonly MintFacts[], parts: readonly bigint[]): Promise<void> {
  await tx.sql(
    `update traceability.lot l
     set tlc = m.tlc, key = m.key, serial = m.serial, resolved = m.resolved, asset_type = m.asset_type, asset_type_name = m.asset_type_name, gtin = m.gtin, uom = m.uom,
       unit_kg = m.unit_kg, process_map_name = m.map, process_map_version = m.version
     from unnest($2::bigint[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[], $9::numeric[], $10::text[], $11::text[],
       $12::text[], $13::text[], $14::text[])
       as m(token_id, tlc, resolved, asset_type, asset_type_name, gtin, uom, unit_kg, map, version, key, serial, tlc_hash)
     where l.tenant_id = $1 and (l.token_id = m.token_id or l.token_id = any($15::bigint[]) and l.tlc_hash = m.tlc_hash)`,
    [
      tx.tenantId,
      lots.map((lot) => lot.tokenId),
      lots.map((lot) => lot.tlc),
      lots.map((lot) => lot.resolved),
      lots.map((lot) => lot.assetType),
      lots.map((lot) => lot.assetTypeName),
      lots.map((lot) => lot.gtin),
      lots.map((lot) => lot.uom),
      lots.map((lot) => lot.unitKg),
      lots.map((lot) => lot.processMapName),
      lots.map((lot) => lot.processMapVersion),
      lots.map((lot) => lot.key),
      lots.map((lot) => lot.serial),
      lots.map((lot) => lot.tlcHash),
      parts,
    ],
  );
}

const codesOf = (
  { id, recording }: LandedEvent,
  lots: readonly { readonly key: string; readonly resolved: boolean }[],
  at: Date,
): LandedCode[] => lots.filter(({ resolved }) => resolved).map(({ key }) => ({ key, eventId: id, block: recording.at.block, at }));

/** Events that used these lots get the names and masses that are known now. */
async function renameInputs(tx: TenantTx, tokenIds: readonly bigint[]): Promise<void> {
  if (tokenIds.length === 0) return;
  await tx.sql(
    `update traceability.event e
     set inputs = (
         select jsonb_agg(case when l.token_id is null then x.line
           else x.line || jsonb_build_object('tlc', l.tlc, 'gtin', l.gtin, 'serial', l.serial, 'assetType', l.asset_type, 'uom', l.uom) end order by x.place)
         from jsonb_array_elements(e.inputs) with ordinality as x(line, place)
         left join traceability.lot l on l.tenant_id = $1 and l.token_id = (x.line ->> 'tokenId')::bigint and l.to_block is null
           and l.token_id = any($2::bigint[])),
       input_kg = case when e.containment_mode = 0 and cardinality(e.output_token_ids) > 0 then (
         select case when count(*) = count(l.unit_kg) then sum(x.amount / 1000000 * l.unit_kg) end
         from unnest(e.input_token_ids, e.consumed) as x(token_id, amount)
         join traceability.lot l on l.tenant_id = $1 and l.token_id = x.token_id and l.to_block is null
         where x.amount > 0) else e.input_kg end
     where e.tenant_id = $1 and e.block_number is not null and e.input_token_ids && $2::bigint[]
       and e.id in (select n.event_id from traceability.event_lot n where n.tenant_id = $1 and n.token_id = any($2::bigint[]))`,
    [tx.tenantId, tokenIds],
  );
}
