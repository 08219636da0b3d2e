import { Injectable } from '@nestjs/common';
import { keccakOf } from '#kernel';
import { type TenantTx, arrayParameter } from '#persistence';
import { type ChainMoment, type Lot, Lots, type LotStatus, type Mint } from '../contract/lots.js';
import { type LotRow, lotStatusSql } from './lot.js';
import { CURRENT, LOT_COLUMNS, readRow } from './columns.queries.js';

/** What the rules of events ask about a lot beyond `Lot`. */
type History = Pick<LotRow, 'tokenId' | 'expiresAt' | 'depth'> & {
  readonly recallAffected: boolean;
  /** Event time of the event that minted it. */
  readonly madeAt: Date | null;
  /** Assessment report by which its footprint was stated. */
  readonly gwp: 'AR5' | 'AR6' | null;
};

const STATUS = lotStatusSql('l', 'h.held_at', 'now()');

/** What was retired inside its container does not move with it. */
const HELD_WITHIN = `
  with recursive inside as (
    select n.token_id as asked, n.token_id from unnest($2::bigint[]) as n(token_id)
    union
    select i.asked, c.token_id from inside i cross join lateral (
      select l.token_id from traceability.lot l
      where l.tenant_id = $1 and l.container_token_id = i.token_id and l.retired_at is null and ${CURRENT} offset 0) c
  )
  select distinct on (i.asked) i.asked, i.token_id as held
  from inside i join traceability.lot_hold h on h.tenant_id = $1 and h.token_id = i.token_id
  order by i.asked, i.token_id <> i.asked, i.token_id`;

interface ContentRow {
  readonly asked: string;
  readonly token_id: string;
  readonly via: string;
}

/** Lots as they are now, for other contexts and for the rules of events. */
@Injectable()
export class LotQueries extends Lots {
  override async byTokenIds(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly Lot[]> {
    if (tokenIds.length === 0) return [];
    const rows = await tx.sql(
      `select ${LOT_COLUMNS.map(({ name }) => `l.${name}`).join(', ')}, ${STATUS} as status, h.held_at is not null as on_hold
       from traceability.lot l
       left join traceability.lot_hold h on h.tenant_id = l.tenant_id and h.token_id = l.token_id
       where l.tenant_id = $1 and l.to_block is null and l.token_id = any($2::bigint[])`,
      [tx.tenantId, tokenIds],
    );
    return rows.map(factsOf);
  }

  override async heldWithin(tx: TenantTx, tokenIds: readonly bigint[]): Promise<ReadonlyMap<bigint, bigint>> {
    if (tokenIds.length === 0) return new Map();
    const rows = await tx.sql<{ readonly asked: string; readonly held: string }>(HELD_WITHIN, [tx.tenantId, tokenIds]);
    return new Map(rows.map(({ asked, held }) => [BigInt(asked), BigInt(held)]));
  }

  override async processesOf(tx: TenantTx, tokenIds: readonly bigint[]): Promise<ReadonlyMap<bigint, string | null>> {
    if (tokenIds.length === 0) return new Map();
    const rows = await tx.sql<{ readonly token_id: string; readonly process_type: string | null }>(
      `select l.token_id, e.process_type from traceability.lot l
       left join traceability.event e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id
       where l.tenant_id = $1 and l.to_block is null and l.token_id = any($2::bigint[])`,
      [tx.tenantId, tokenIds.map(String)],
    );
    return new Map(rows.map((row) => [BigInt(row.token_id), row.process_type]));
  }

  override async mintOf(tx: TenantTx, tokenId: bigint): Promise<Mint | null> {
    const [first] = await tx.sql<Omit<Mint, 'tokenId'>>(
      `select l.custodian, case when l.split_from is null then l.minted_at else coalesce((
           select b.at from traceability.block_time b where b.tenant_id = $1 and b.block_number = l.mint_block), l.minted_at) end as at, l.mint_block::integer as block, l.mint_tx as "txHash", l.mint_event_id as "eventId", (
         select c.tlc from traceability.lot c where c.tenant_id = $1 and c.token_id = $2 and c.to_block is null) as tlc
       from traceability.lot l where l.tenant_id = $1 and l.token_id = $2 order by l.from_block, l.from_log limit 1`,
      [tx.tenantId, tokenId],
    );
    return first ? { ...first, tokenId } : null;
  }

  override async contentsAt(
    tx: TenantTx,
    asked: readonly { readonly containerTokenId: bigint; readonly moment: ChainMoment }[],
  ): Promise<
    readonly { readonly containerTokenId: bigint; readonly moment: ChainMoment; readonly tokenId: bigint; readonly viaTokenId: bigint }[]
  > {
    if (asked.length === 0) return [];
    const rows = await tx.sql<ContentRow>(
      `with recursive asked as (
         select * from unnest($2::bigint[], $3::bigint[], $4::integer[]) with ordinality as a(token_id, block, log, asked)
       ), inside as (
         select asked, block, log, token_id, null::bigint as via from asked
         union
         select i.asked, i.block, i.log, l.token_id, i.token_id
         from inside i
         join traceability.lot l on l.tenant_id = $1 and l.container_token_id = i.token_id
          and (l.from_block, l.from_log) <= (i.block, i.log) and (l.to_block is null or (l.to_block, l.to_log) > (i.block, i.log))
       )
       select asked, token_id, via from inside where via is not null order by asked, token_id`,
      [
        tx.tenantId,
        asked.map((one) => one.containerTokenId),
        asked.map((one) => one.moment.block),
        asked.map((one) => one.moment.logIndex),
      ],
    );
    return rows.map((row) => ({ ...asked[Number(row.asked) - 1]!, tokenId: BigInt(row.token_id), viaTokenId: BigInt(row.via) }));
  }

  /** The known ones among these. */
  async histories(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly History[]> {
    const rows = await tx.sql<Omit<History, 'tokenId'> & { tokenId: string }>(
      `select l.token_id as "tokenId", l.expires_at as "expiresAt", l.depth, e.event_time as "madeAt",
              e.metadata #>> '{footprint,gwp}' as gwp,
              exists (select from traceability.recall_affected r
                      where r.tenant_id = l.tenant_id and r.token_id = l.token_id and r.to_block is null) as "recallAffected"
       from traceability.lot l
       left join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id
       where l.tenant_id = $1 and l.token_id = any($2::bigint[]) and l.to_block is null`,
      [tx.tenantId, tokenIds.map(String)],
    );
    return rows.map((row) => ({ ...row, tokenId: BigInt(row.tokenId), gwp: row.gwp === 'AR5' || row.gwp === 'AR6' ? row.gwp : null }));
  }

  /** Keys among these that a landed lot has; the key of a voided lot is free again. */
  async takenKeys(tx: TenantTx, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const asked = new Map(keys.map((key): [string, string] => [keccakOf(key), key]));
    const rows = await tx.sql<{ hash: string }>(
      `select tlc_hash as hash from traceability.lot
       where tenant_id = $1 and tlc_hash = any($2::text[]) and to_block is null and retire_reason is distinct from 'voided'`,
      [tx.tenantId, arrayParameter('text', [...asked.keys()])],
    );
    return new Set(rows.map((row) => asked.get(row.hash)!));
  }
}

function factsOf(row: Record<string, unknown>): Lot {
  const lot = readRow<LotRow>(LOT_COLUMNS, row);
  return {
    tokenId: lot.tokenId,
    tlc: lot.tlc,
    tlcHash: lot.tlcHash,
    key: lot.key,
    gtin: lot.gtin,
    serial: lot.serial,
    resolved: lot.resolved,
    assetType: lot.assetType,
    processMapName: lot.processMapName,
    status: row['status'] as LotStatus,
    custodian: lot.custodian,
    pendingCustodian: lot.pendingCustodian,
    offerNo: lot.offerNo,
    containerTokenId: lot.retiredAt === null ? lot.containerTokenId : null,
    isContainer: lot.depth > 0,
    recalled: lot.recalledAt !== null,
    holdsRecalled: lot.holdsRecalled,
    onHold: row['on_hold'] as boolean,
    mintEventId: lot.mintEventId,
    mintBlock: lot.mintBlock,
    quantity: lot.quantity,
    remaining: lot.remaining,
    uom: lot.uom,
  };
}
