import { linkedGtin } from '../../domain/digital-link.js';
import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '#kernel';
import { type SystemTx, type TenantTx, pageOf } from '#persistence';
import type { Issued } from '../../domain/facts.js';
import type { CheckResult } from '../../domain/passport.js';
import { type Candidate, type Evidence, type Found, Passports } from '../../ports.js';

const ISSUED = `p.id, p.token_id as "tokenId", p.tlc, p.gtin, p.issued_at as "issuedAt", p.version, p.content_hash as "contentHash",
  p.updated_at as "updatedAt", p.withdrawn_at as "withdrawnAt", p.withdrawn_reason as "withdrawnReason", p.checked_at as "checkedAt",
  p.check_result as "checkResult"`;

type Row = Omit<Issued, 'tokenId'> & { readonly tokenId: string };
const issuedOf = (row: Row | undefined): Issued | null => (row ? { ...row, tokenId: BigInt(row.tokenId) } : null);

const INSERT = (gtin: string): string =>
  `insert into passports.passport (tenant_id, id, token_id, contract, tlc, gtin, issued_at, updated_at)
   select $1, p.id, p.token_id, p.contract, p.tlc, ${gtin}, $7, $7
   from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[]) as p(id, token_id, contract, tlc, gtin)`;

@Injectable()
export class SqlPassports extends Passports {
  override async byId(tx: SystemTx, id: string): Promise<Found | null> {
    const [row] = await tx.sql<Found>('select tenant_id as "tenantId", id from passports.passport where id = $1', [id]);
    return row ?? null;
  }

  override async byLink(tx: SystemTx, gtin: string, lot: string): Promise<Found | null> {
    const [row] = await tx.sql<Found>('select tenant_id as "tenantId", id from passports.passport where gtin = $1 and tlc = $2', [
      gtin,
      lot,
    ]);
    return row ?? null;
  }

  override async issued(tx: TenantTx, id: string): Promise<Issued | null> {
    const [row] = await tx.sql<Row>(`select ${ISSUED} from passports.passport p where p.tenant_id = $1 and p.id = $2`, [tx.tenantId, id]);
    return issuedOf(row);
  }

  override async after(tx: TenantTx, after: string | null, most: number): Promise<readonly Issued[]> {
    const rows = await tx.sql<Row>(
      `select ${ISSUED} from passports.passport p where p.tenant_id = $1 and p.id > $2 order by p.id limit $3`,
      [tx.tenantId, after ?? '', most],
    );
    return rows.map((row) => issuedOf(row)!);
  }

  override async list(tx: TenantTx, request: PageRequest): Promise<Page<Issued>> {
    const page = await pageOf<Row>(tx, request, {
      columns: ISSUED,
      from: 'passports.passport p where p.tenant_id = $1',
      order: 'p.issued_at desc, p.id',
      parameters: [tx.tenantId],
    });
    return { ...page, data: page.data.map((row) => issuedOf(row)!) };
  }

  override async isRecalled(tx: TenantTx, tokenId: bigint): Promise<boolean> {
    return (
      (await tx.sql('select from recall.standing_v1 where tenant_id = $1 and token_id = $2 limit 1', [tx.tenantId, tokenId])).length > 0
    );
  }

  override async candidate(tx: TenantTx, tokenId: bigint): Promise<Candidate | null> {
    return (await lotsOf(tx, [String(tokenId)]))[0] ?? null;
  }

  override async ofLot(tx: TenantTx, tokenId: bigint): Promise<Issued | null> {
    const [row] = await tx.sql<Row>(
      `select ${ISSUED} from traceability.lot_v1 l
       join passports.passport p on p.tenant_id = l.tenant_id and p.contract = l.contract and p.token_id = l.token_id and p.tlc = l.tlc
       where l.tenant_id = $1 and l.token_id = $2`,
      [tx.tenantId, tokenId],
    );
    return issuedOf(row);
  }

  override async stamp(tx: TenantTx, id: string): Promise<string | null> {
    const [row] = await tx.sql<{ stamp: string }>(
      `select concat_ws('|', l.status, l.recalled_at, l.retired_at, p.withdrawn_at, p.check_result, s.enabled, s.changed_at,
         (select string_agg(r.recall_id || coalesce(r.reason, ''), ',' order by r.recall_id) from recall.standing_v1 r
          where r.tenant_id = p.tenant_id and r.token_id = p.token_id),
         (select md5(e.metadata::text) from traceability.event_v1 e
          where e.tenant_id = l.tenant_id and e.id = l.mint_event_id and e.superseded_by is not null)) as stamp
       from passports.passport p
       left join passports.setting s on s.tenant_id = p.tenant_id
       left join traceability.lot_v1 l on l.tenant_id = p.tenant_id and l.token_id = p.token_id and l.tlc = p.tlc
       where p.tenant_id = $1 and p.id = $2`,
      [tx.tenantId, id],
    );
    return row?.stamp ?? null;
  }

  override async add(tx: TenantTx, passports: readonly (Candidate & { readonly id: string })[], at: Date): Promise<number> {
    const columns = [
      tx.tenantId,
      passports.map(({ id }) => id),
      passports.map(({ tokenId }) => tokenId),
      passports.map(({ contract }) => contract),
      passports.map(({ tlc }) => tlc),
      passports.map(({ gtin }) => gtin),
    ];
    // A void sets the code free for another lot, and with it the link.
    await tx.sql(
      `update passports.passport p set gtin = null from unnest($2::text[], $3::text[]) as n(gtin, tlc), traceability.lot_v1 l
       where p.tenant_id = $1 and p.gtin = n.gtin and p.tlc = n.tlc and l.tenant_id = $1 and l.token_id = p.token_id and l.retire_reason = 'voided'`,
      [tx.tenantId, columns[5], columns[4]],
    );
    const added = await tx.sql(`${INSERT('p.gtin')} on conflict do nothing returning id`, [...columns, at]);
    if (added.length === passports.length) return added.length;
    // The link of these is another's, or they were there before.
    const without = await tx.sql(`${INSERT('null')} on conflict (tenant_id, contract, token_id, tlc) do nothing returning id`, [
      ...columns,
      at,
    ]);
    return added.length + without.length;
  }

  override async candidates(
    tx: TenantTx,
    after: number,
    upTo: number,
    most: number,
  ): Promise<{ readonly lots: readonly Candidate[]; readonly reached: number }> {
    const events = await tx.sql<{ block: string; tokens: string[] }>(
      `select e.block_number as block, e.output_token_ids::text[] as tokens from traceability.event_v1 e
       where e.tenant_id = $1 and e.block_number > $2 and e.block_number <= $3 order by e.block_number limit $4`,
      [tx.tenantId, after, upTo, most],
    );
    // A block is looked at whole or not at all, unless it has more events than a round has room for.
    const last = Number(events.at(-1)?.block ?? upTo);
    const cut = events.length === most;
    const first = Number(events[0]?.block ?? upTo);
    if (cut && first === last) return this.candidatesOfBlock(tx, last);
    const whole = cut ? events.filter(({ block }) => Number(block) < last) : events;
    const tokens = whole.flatMap((event) => event.tokens);
    return { lots: await lotsOf(tx, tokens), reached: cut ? last - 1 : upTo };
  }

  private async candidatesOfBlock(tx: TenantTx, block: number): Promise<{ lots: readonly Candidate[]; reached: number }> {
    const events = await tx.sql<{ tokens: string[] }>(
      'select e.output_token_ids::text[] as tokens from traceability.event_v1 e where e.tenant_id = $1 and e.block_number = $2',
      [tx.tenantId, block],
    );
    return {
      lots: await lotsOf(
        tx,
        events.flatMap((event) => event.tokens),
      ),
      reached: block,
    };
  }

  override async published(tx: TenantTx, issued: Issued, contentHash: string, at: Date): Promise<Pick<Issued, 'version' | 'updatedAt'>> {
    const first = issued.contentHash === null;
    const [row] = await tx.sql<Pick<Issued, 'version' | 'updatedAt'>>(
      `update passports.passport set version = version + case when content_hash is null then 0 else 1 end, content_hash = $3,
         updated_at = case when content_hash is null then updated_at else $4 end
       where tenant_id = $1 and id = $2 and content_hash is distinct from $3 and version = $5 and (content_hash is null) = $6
       returning version, updated_at as "updatedAt"`,
      [tx.tenantId, issued.id, contentHash, at, issued.version, first],
    );
    if (row) return row;
    const now = await this.issued(tx, issued.id);
    return now ?? issued;
  }

  override async withdraw(
    tx: TenantTx,
    id: string,
    by: { readonly id: string; readonly at: Date; readonly reason: string } | null,
  ): Promise<void> {
    await tx.sql(
      'update passports.passport set withdrawn_at = $3, withdrawn_by = $4, withdrawn_reason = $5 where tenant_id = $1 and id = $2',
      [tx.tenantId, id, by?.at ?? null, by?.id ?? null, by?.reason ?? null],
    );
  }

  override async unchecked(
    tx: TenantTx,
    before: Date,
    most: number,
  ): Promise<readonly { readonly id: string; readonly evidence: Evidence | null }[]> {
    // One without a lot is among them: those that nobody looked at come first, and would be the first for ever.
    const rows = await tx.sql<{ id: string; found: boolean } & Evidence>(
      `select p.id, e.id is not null and l.metadata_cid is not null as found, e.id::text as "eventId", l.contract, l.mint_tx as "txHash", l.data_hash as "dataHash", l.metadata_cid as cid
       from (select * from passports.passport where tenant_id = $1 and (checked_at is null or checked_at < $2)
             order by checked_at nulls first limit $3) p
       left join traceability.lot_v1 l on l.tenant_id = p.tenant_id and l.token_id = p.token_id and l.tlc = p.tlc
       left join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id`,
      [tx.tenantId, before, most],
    );
    return rows.map(({ id, found, ...evidence }) => ({ id, evidence: found ? evidence : null }));
  }

  override async checked(tx: TenantTx, id: string, result: CheckResult, at: Date): Promise<void> {
    await tx.sql('update passports.passport set checked_at = $3, check_result = $4 where tenant_id = $1 and id = $2', [
      tx.tenantId,
      id,
      at,
      result,
    ]);
  }
}

async function lotsOf(tx: TenantTx, tokens: readonly string[]): Promise<readonly Candidate[]> {
  if (tokens.length === 0) return [];
  const rows = await tx.sql<Omit<Candidate, 'tokenId'> & { readonly tokenId: string }>(
    `select l.token_id as "tokenId", l.contract, l.tlc, l.gtin from traceability.lot_v1 l
     join traceability.asset_type_v1 a on a.tenant_id = l.tenant_id and a.map_name = l.process_map_name
       and a.map_version = l.process_map_version and a.asset_type = l.asset_type
     where l.tenant_id = $1 and l.token_id = any($2::bigint[]) and l.resolved and a.words -> 'passport' = 'true'::jsonb`,
    [tx.tenantId, tokens],
  );
  return rows.map((row) => ({ ...row, tokenId: BigInt(row.tokenId), gtin: linkedGtin(row.gtin, row.tlc) }));
}
