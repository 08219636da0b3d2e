import type { Page, PageRequest } from '#kernel';
import { type TenantTx, pageOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ChangeReference, PassportVersion } from './passport-version.js';

const COLUMNS = `v.version, v.valid_from as "from", v.document, v.hash, v.event_id as "eventId", v.chain_id::float8 as "chainId", v.contract, v.tx_hash as "txHash",
  v.block_number::float8 as block, v.actor, v.org_id as "orgId"`;

interface Row
  extends Pick<PassportVersion, 'version' | 'from' | 'document' | 'hash' | 'actor' | 'orgId'>, Omit<ChangeReference, 'eventId'> {
  readonly eventId: string | null;
}

const versionOf = ({ eventId, chainId, contract, txHash, block, ...row }: Row): PassportVersion => ({
  ...row,
  change: eventId === null ? null : { eventId, chainId, contract, txHash, block },
});

/** Everything that the public has read of passports. */
@Injectable()
export class VersionsQueries {
  /** @param eventIds of the lot's history; the latest of them, or of their corrections, is what changed last */
  async add(
    tx: TenantTx,
    passportId: string,
    { version, from, document, hash }: Pick<PassportVersion, 'version' | 'from' | 'document' | 'hash'>,
    eventIds: readonly string[],
  ): Promise<void> {
    await tx.sql(
      `with latest as (
         select k.id from traceability.event_key_v1 k where k.tenant_id = $1 and k.block_number is not null and (k.id = any($7::uuid[]) or k.id in (
           select e.superseded_by from traceability.event_v1 e where e.tenant_id = $1 and e.id = any($7::uuid[]) and e.superseded_by is not null))
         order by k.block_number desc, k.id limit 1
       ), change as (
         select e.*, not exists (select from passports.version o where o.tenant_id = $1 and o.passport_id = $2 and o.event_id = e.id) as is_new
         from traceability.event_v1 e where e.tenant_id = $1 and e.id = (select id from latest)
       )
       insert into passports.version (tenant_id, passport_id, version, valid_from, document, hash, event_id, chain_id, contract, tx_hash,
         block_number, actor, org_id)
       select $1, $2, $3, $4, $5, $6, c.id, c.chain_id, c.contract_address, c.tx_hash, c.block_number,
         case when c.is_new then c.actor_address end, case when c.is_new then c.org_id::text end
       from (select) one left join change c on true`,
      [tx.tenantId, passportId, version, from, document, hash, eventIds],
    );
  }

  /** The version that the public read at a time, of two of one time the later; null before the first. */
  async at(tx: TenantTx, passportId: string, at: Date): Promise<PassportVersion | null> {
    const [row] = await tx.sql<Row>(
      `select ${COLUMNS} from passports.version v where v.tenant_id = $1 and v.passport_id = $2 and v.valid_from <= $3
       order by v.valid_from desc, v.version desc limit 1`,
      [tx.tenantId, passportId, at],
    );
    return row ? versionOf(row) : null;
  }

  /** In their order; `after` 0 = from the first. */
  async after(tx: TenantTx, passportId: string, after: number, most: number): Promise<readonly PassportVersion[]> {
    const rows = await tx.sql<Row>(
      `select ${COLUMNS} from passports.version v where v.tenant_id = $1 and v.passport_id = $2 and v.version > $3 order by v.version limit $4`,
      [tx.tenantId, passportId, after, most],
    );
    return rows.map(versionOf);
  }

  /** Newest first. */
  async list(tx: TenantTx, passportId: string, request: PageRequest): Promise<Page<PassportVersion>> {
    const page = await pageOf<Row>(tx, request, {
      columns: COLUMNS,
      from: 'passports.version v where v.tenant_id = $1 and v.passport_id = $2',
      order: 'v.version desc',
      parameters: [tx.tenantId, passportId],
    });
    return { ...page, data: page.data.map(versionOf) };
  }
}
