import { type TenantTx, countOf } from '#persistence';
import type { LotStatus } from '../../contract.js';
import type { LotVersion } from '../../domain/lot.js';
import { lotStatusSql } from '../../domain/lot-status.js';
import { readRow } from './columns.js';
import { LOT_COLUMNS } from './lot.schema.js';
import type { ProcessKey } from './map-words.js';

/** A current lot with what is derived when it is read. */
export interface LotRecord extends LotVersion {
  readonly status: LotStatus;
  readonly expired: boolean;
  readonly onHold: boolean;
  readonly recallAffected: boolean;
  readonly eventCount: number;
  /** Of the mint event; shown by its visibility. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly mintedByOrg: string | null;
  readonly process: ProcessKey;
}

export interface LotFilter {
  readonly status?: string;
  readonly assetType?: string;
  /** EIP-55. */
  readonly custodian?: string;
  /** The code or its beginning. */
  readonly tlc?: string;
  readonly processMap?: string;
}

/** Where a page begins: after so many lots, or below a token id. */
export type LotPlace = { readonly offset: number } | { readonly below: bigint };

const STATUS = lotStatusSql('l', 'h.held_at', 'now()');
const CURRENT = `traceability.lot l left join traceability.lot_hold h on h.tenant_id = l.tenant_id and h.token_id = l.token_id`;

/** Newest first, that is by descending token id. */
export async function listLots(
  tx: TenantTx,
  filter: LotFilter,
  place: LotPlace,
  limit: number,
): Promise<{ readonly lots: readonly LotRecord[]; readonly counted: number }> {
  const parameters: unknown[] = [tx.tenantId];
  const where = conditions(filter, (value) => `$${parameters.push(value)}`);
  const counted = await countOf(tx, `${CURRENT} where ${where}`, [...parameters]);
  const start = 'below' in place ? `and l.token_id < $${parameters.push(place.below)}` : `offset $${parameters.push(place.offset)}`;
  const below = 'below' in place ? start : '';
  const offset = 'below' in place ? '' : start;
  const rows = await tx.sql(
    `${SELECT} where l.to_block is null and l.tenant_id = $1 and l.token_id in (
       select l.token_id from ${CURRENT} where ${where} ${below} order by l.token_id desc limit $${parameters.push(limit)} ${offset})
     order by l.token_id desc`,
    parameters,
  );
  return { lots: rows.map(lotRecord), counted };
}

export async function lotByTokenId(tx: TenantTx, tokenId: bigint): Promise<LotRecord | null> {
  const [row] = await tx.sql(`${SELECT} where l.tenant_id = $1 and l.to_block is null and l.token_id = $2`, [tx.tenantId, tokenId]);
  return row ? lotRecord(row) : null;
}

/** A code is free again after a void, and taken along by a migration: the lot that lives under it wins, then the newest. */
export async function lotByTlc(tx: TenantTx, tlc: string): Promise<LotRecord | null> {
  const [row] = await tx.sql(
    `${SELECT} where l.tenant_id = $1 and l.to_block is null and l.tlc = $2
     order by coalesce(l.retire_reason in ('voided', 'migrated'), false), l.token_id desc limit 1`,
    [tx.tenantId, tlc],
  );
  return row ? lotRecord(row) : null;
}

const SELECT = `
  select ${LOT_COLUMNS.map(({ name }) => `l.${name}`).join(', ')}, ${STATUS} as status,
    coalesce(l.expires_at <= now(), false) as expired, h.held_at is not null as on_hold,
    exists (select from traceability.recall_affected a
            where a.tenant_id = l.tenant_id and a.token_id = l.token_id and a.root_token_id <> l.token_id and a.to_block is null) as recall_affected,
    (select count(*) from traceability.event_lot n where n.tenant_id = l.tenant_id and n.token_id = l.token_id) as event_count,
    e.metadata, e.org_id as minted_by_org, e.process_type, e.process_map_name as event_map, e.process_map_version as event_map_version
  from ${CURRENT}
  left join traceability.event e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id`;

function conditions(filter: LotFilter, parameter: (value: unknown) => string): string {
  const all = ['l.tenant_id = $1', 'l.to_block is null'];
  if (filter.status !== undefined) all.push(`${STATUS} = ${parameter(filter.status)}`);
  if (filter.assetType !== undefined) all.push(`l.asset_type = ${parameter(filter.assetType)}`);
  if (filter.custodian !== undefined) all.push(`l.custodian = ${parameter(filter.custodian)}`);
  if (filter.processMap !== undefined) all.push(`l.process_map_name = ${parameter(filter.processMap)}`);
  // The operators of text_pattern_ops compare bytes; U+10FFFF sorts after every character that may follow.
  if (filter.tlc !== undefined) all.push(`l.tlc ~>=~ ${parameter(filter.tlc)} and l.tlc ~<~ ${parameter(`${filter.tlc}\u{10ffff}`)}`);
  return all.join(' and ');
}

function lotRecord(row: Record<string, unknown>): LotRecord {
  return {
    ...readRow<LotVersion>(LOT_COLUMNS, row),
    status: row['status'] as LotStatus,
    expired: row['expired'] as boolean,
    onHold: row['on_hold'] as boolean,
    recallAffected: row['recall_affected'] as boolean,
    eventCount: Number(row['event_count']),
    metadata: row['metadata'] as LotRecord['metadata'],
    mintedByOrg: row['minted_by_org'] as string | null,
    process: {
      map: row['event_map'] as string | null,
      version: row['event_map_version'] as string | null,
      processType: row['process_type'] as string | null,
    },
  };
}
