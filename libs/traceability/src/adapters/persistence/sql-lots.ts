import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { type ChainMoment, type LotFacts, Lots, type LotStatus, type Mint } from '../../contract.js';
import type { LotVersion } from '../../domain/lot.js';
import { lotStatusSql } from '../../domain/lot-status.js';
import { readRow } from './columns.js';
import { LOT_COLUMNS } from './lot.schema.js';
import { CURRENT } from './lot-versions.js';

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

@Injectable()
export class SqlLots extends Lots {
  override async byTokenIds(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly LotFacts[]> {
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

  override async mintOf(tx: TenantTx, tokenId: bigint): Promise<Mint | null> {
    const [first] = await tx.sql<Omit<Mint, 'tokenId'>>(
      `select l.custodian, l.minted_at as at, l.mint_block::integer as block, l.mint_tx as "txHash", l.mint_event_id as "eventId", (
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
}

function factsOf(row: Record<string, unknown>): LotFacts {
  const lot = readRow<LotVersion>(LOT_COLUMNS, row);
  return {
    tokenId: lot.tokenId,
    tlc: lot.tlc,
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
