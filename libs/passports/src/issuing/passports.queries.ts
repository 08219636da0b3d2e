import type { Page, PageRequest } from '#kernel';
import { type TenantTx, pageOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Issuable, type IssuedPassport, passportLink } from './issued-passport.js';

const ISSUED = `p.id, p.token_id as "tokenId", p.tlc, p.key, p.gtin, p.serial, p.granularity, p.link, p.issued_at as "issuedAt", p.version, p.content_hash as "contentHash",
  p.updated_at as "updatedAt", p.withdrawn_at as "withdrawnAt", p.withdrawn_reason as "withdrawnReason", p.checked_at as "checkedAt",
  p.check_result as "checkResult"`;

type Row = Omit<IssuedPassport, 'tokenId'> & { readonly tokenId: string };
const issuedOf = (row: Row | undefined): IssuedPassport | null => (row ? { ...row, tokenId: BigInt(row.tokenId) } : null);

const INSERT = (link: string): string =>
  `insert into passports.passport (tenant_id, id, token_id, contract, tlc, key, gtin, serial, granularity, link, issued_at, updated_at)
   select $1, p.id, p.token_id, p.contract, p.tlc, p.key, p.gtin, p.serial, p.granularity, ${link}, $11, $11
   from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
     as p(id, token_id, contract, tlc, key, gtin, serial, granularity, link)`;

/** A lot and its parts: the code on their labels is one. Parameters: tenant, lot. */
const SAME_GOODS = `
  select s.token_id from traceability.lot_v1 l join traceability.lot_v1 s on s.tenant_id = $1 and s.tlc_hash = l.tlc_hash and s.contract = l.contract
    and s.retire_reason is distinct from 'voided'
  where l.tenant_id = $1 and l.token_id = $2 and (s.token_id = l.token_id or s.split_from is not null)`;
export const sameGoods = (): string => SAME_GOODS;

/** The lot that a part was split from, at any remove; a lot that is no part is its own. Parameters: tenant, lot. */
const WHOLE = `with recursive whole as (
    select w.token_id, w.split_from from traceability.lot_v1 w where w.tenant_id = $1 and w.token_id = $2
    union all
    select w.token_id, w.split_from from whole p join traceability.lot_v1 w on w.tenant_id = $1 and w.token_id = p.split_from)
  select token_id from whole where split_from is null`;

/** Passports that were issued. */
@Injectable()
export class PassportsQueries {
  /** Of this tenant; a withdrawn one too. */
  async byId(tx: TenantTx, id: string): Promise<IssuedPassport | null> {
    const [row] = await tx.sql<Row>(`select ${ISSUED} from passports.passport p where p.tenant_id = $1 and p.id = $2`, [tx.tenantId, id]);
    return issuedOf(row);
  }

  /** In the order of their ids; `after` null = from the first. */
  async after(tx: TenantTx, after: string | null, most: number): Promise<readonly IssuedPassport[]> {
    const rows = await tx.sql<Row>(
      `select ${ISSUED} from passports.passport p where p.tenant_id = $1 and p.id > $2 order by p.id limit $3`,
      [tx.tenantId, after ?? '', most],
    );
    return rows.map((row) => issuedOf(row)!);
  }

  /** Newest first. */
  async list(tx: TenantTx, request: PageRequest): Promise<Page<IssuedPassport>> {
    const page = await pageOf<Row>(tx, request, {
      columns: ISSUED,
      from: 'passports.passport p where p.tenant_id = $1',
      order: 'p.issued_at desc, p.id',
      parameters: [tx.tenantId],
    });
    return { ...page, data: page.data.map((row) => issuedOf(row)!) };
  }

  async isRecalled(tx: TenantTx, tokenId: bigint): Promise<boolean> {
    const found = await tx.sql(`select from recall.open_recall_v1 where tenant_id = $1 and token_id in (${SAME_GOODS}) limit 1`, [
      tx.tenantId,
      tokenId,
    ]);
    return found.length > 0;
  }

  /** Of the lot that has this number now, or that it is a part of: another one may have had it before a deep reorganisation. */
  async ofLot(tx: TenantTx, tokenId: bigint): Promise<IssuedPassport | null> {
    const [row] = await tx.sql<Row>(
      `select ${ISSUED} from traceability.lot_v1 l
       join passports.passport p on p.tenant_id = l.tenant_id and p.contract = l.contract and p.token_id = l.token_id and p.tlc = l.tlc
       where l.tenant_id = $1 and l.token_id = (${WHOLE})`,
      [tx.tenantId, tokenId],
    );
    return issuedOf(row);
  }

  async ofModel(tx: TenantTx, gtin: string | null): Promise<IssuedPassport | null> {
    const [row] = await tx.sql<Row>(
      `select ${ISSUED} from passports.passport p where p.tenant_id = $1 and p.granularity = 'model' and p.gtin = $2 and p.link is not null`,
      [tx.tenantId, gtin],
    );
    return issuedOf(row);
  }

  /** The Digital Link of a key leads to the passport of the tenant that was first: a later one has none. @returns how many are new */
  async add(tx: TenantTx, passports: readonly (Issuable & { readonly id: string })[], at: Date): Promise<number> {
    const columns = [
      tx.tenantId,
      passports.map(({ id }) => id),
      passports.map(({ tokenId }) => tokenId),
      passports.map(({ contract }) => contract),
      passports.map(({ tlc }) => tlc),
      passports.map(({ key }) => key),
      passports.map(({ gtin }) => gtin),
      passports.map(({ serial }) => serial),
      passports.map(({ granularity }) => granularity),
      passports.map(passportLink),
    ];
    // A void frees the key for another lot, and the link with it.
    await tx.sql(
      `update passports.passport p set link = null from traceability.lot_v1 l
       where p.tenant_id = $1 and p.link = any($2::text[]) and l.tenant_id = $1 and l.token_id = p.token_id and l.retire_reason = 'voided'`,
      [tx.tenantId, columns[9]],
    );
    const added = await tx.sql(`${INSERT('p.link')} on conflict do nothing returning id`, [...columns, at]);
    if (added.length === passports.length) return added.length;
    // The others existed before, or their link belongs to another passport of the tenant. A model has one passport, whatever is made of it.
    const without = await tx.sql(
      `${INSERT('null')} where p.granularity <> 'model' on conflict (tenant_id, contract, token_id, tlc) do nothing returning id`,
      [...columns, at],
    );
    return added.length + without.length;
  }

  /** The lot, or the one that it is a part of: the code on their labels is one. Null where there is no such lot. */
  async lot(tx: TenantTx, tokenId: bigint): Promise<Issuable | null> {
    return (await lotsOf(tx, String(tokenId), `= (${WHOLE})`))[0] ?? null;
  }

  /** Lots of asset types with passports that events of the next blocks made, up to a final one, and the block that they reach. */
  async lotsMadeAfter(
    tx: TenantTx,
    after: number,
    upTo: number,
    most: number,
  ): Promise<{ readonly lots: readonly Issuable[]; readonly reached: number }> {
    const events = await tx.sql<{ block: string; tokens: string[] }>(
      `select e.block_number as block, e.output_token_ids::text[] as tokens from traceability.event_v1 e
       where e.tenant_id = $1 and e.block_number > $2 and e.block_number <= $3 order by e.block_number limit $4`,
      [tx.tenantId, after, upTo, most],
    );
    // A block is read whole or not at all, unless it has more events than one batch.
    const last = Number(events.at(-1)?.block ?? upTo);
    const cut = events.length === most;
    const first = Number(events[0]?.block ?? upTo);
    if (cut && first === last) return this.lotsOfBlock(tx, last);
    const whole = cut ? events.filter(({ block }) => Number(block) < last) : events;
    const tokens = whole.flatMap((event) => event.tokens);
    return { lots: await issuable(tx, tokens), reached: cut ? last - 1 : upTo };
  }

  private async lotsOfBlock(tx: TenantTx, block: number): Promise<{ lots: readonly Issuable[]; reached: number }> {
    const events = await tx.sql<{ tokens: string[] }>(
      'select e.output_token_ids::text[] as tokens from traceability.event_v1 e where e.tenant_id = $1 and e.block_number = $2',
      [tx.tenantId, block],
    );
    const tokens = events.flatMap((event) => event.tokens);
    return { lots: await issuable(tx, tokens), reached: block };
  }

  /** One more version, or the first one. @returns null where another process did it meanwhile */
  async publish(
    tx: TenantTx,
    issued: IssuedPassport,
    contentHash: string,
    at: Date,
  ): Promise<Pick<IssuedPassport, 'version' | 'updatedAt'> | null> {
    const first = issued.contentHash === null;
    const [row] = await tx.sql<Pick<IssuedPassport, 'version' | 'updatedAt'>>(
      `update passports.passport set version = version + case when content_hash is null then 0 else 1 end, content_hash = $3,
         updated_at = case when content_hash is null then updated_at else greatest(updated_at, $4) end
       where tenant_id = $1 and id = $2 and content_hash is distinct from $3 and version = $5 and (content_hash is null) = $6
       returning version, updated_at as "updatedAt"`,
      [tx.tenantId, issued.id, contentHash, at, issued.version, first],
    );
    return row ?? null;
  }

  /** @param by null reinstates it */
  async withdraw(tx: TenantTx, id: string, by: { readonly id: string; readonly at: Date; readonly reason: string } | null): Promise<void> {
    await tx.sql(
      'update passports.passport set withdrawn_at = $3, withdrawn_by = $4, withdrawn_reason = $5 where tenant_id = $1 and id = $2',
      [tx.tenantId, id, by?.at ?? null, by?.id ?? null, by?.reason ?? null],
    );
  }
}

const issuable = async (tx: TenantTx, tokens: readonly string[]): Promise<readonly Issuable[]> =>
  (await lotsOf(tx, tokens)).filter(({ mayHavePassport }) => mayHavePassport);

/** The granularity that the numbers of a lot allow. */
const OF_NUMBERS = "case when l.serial is null then 'batch' else 'item' end";

type LotRow = Omit<Issuable, 'tokenId'> & { readonly tokenId: string };

/** @param these which token ids; $2 is what they are said by */
async function lotsOf(tx: TenantTx, by: readonly string[] | string, these = '= any($2::bigint[])'): Promise<readonly Issuable[]> {
  if (by.length === 0) return [];
  const rows = await tx.sql<LotRow>(
    `select l.token_id as "tokenId", l.contract, l.tlc, l.key, l.gtin, l.serial, e.block_number::float8 as "mintBlock",
       coalesce(a.words ->> 'granularity', ${OF_NUMBERS}) as granularity,
       l.resolved and coalesce(a.words -> 'passport' = 'true'::jsonb, false)
         and (a.words ->> 'granularity' = 'model' and l.gtin is not null or coalesce(a.words ->> 'granularity', ${OF_NUMBERS}) = ${OF_NUMBERS})
         as "mayHavePassport"
     from traceability.lot_v1 l
     left join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id
     left join traceability.asset_type_v1 a on a.tenant_id = l.tenant_id and a.map_name = l.process_map_name
       and a.map_version = l.process_map_version and a.asset_type = l.asset_type
     where l.tenant_id = $1 and l.token_id ${these}`,
    [tx.tenantId, by],
  );
  return rows.map((row) => ({ ...row, tokenId: BigInt(row.tokenId) }));
}
