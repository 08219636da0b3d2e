import type { Page, PageRequest } from '#kernel';
import { type SystemTx, type TenantTx, pageOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type RegistrableVersion, type Registration, type RegistrationState, type RegistrySetting, backUpPath } from './registration.js';

const COLUMNS = `r.passport_id as "passportId", r.number, r.version, r.action, r.state, r.entry, r.seal, r.registration_id as "registrationId",
  r.reason_code as "reasonCode", r.reason, r.attempts, r.created_at as "createdAt", r.settled_at as "settledAt"`;

/**
 * The latest version of each passport whose last entry is about another one, about another state, was refused by an earlier setting, or names
 * another back-up than the setting.
 */
const REGISTRABLE = `
  select p.id as "passportId", v.version, v.document, v.hash, case when p.withdrawn_at is null and s.enabled then 'register' else 'withdraw' end as action
  from passports.passport p
  join passports.setting s on s.tenant_id = p.tenant_id
  join passports.registry_setting g on g.tenant_id = p.tenant_id
  cross join lateral (select v.version, v.document, v.hash from passports.version v where v.tenant_id = p.tenant_id and v.passport_id = p.id
    order by v.version desc limit 1) v
  left join lateral (select r.version, r.action, r.state, r.created_at, r.entry from passports.registration r
    where r.tenant_id = p.tenant_id and r.passport_id = p.id order by r.number desc limit 1) r on true
  where p.tenant_id = $1 and case when p.withdrawn_at is null and s.enabled
      then r.version is distinct from v.version or r.action <> 'register' or (r.created_at < $2
        and (r.state = 'refused' or r.entry::jsonb ->> 'backUpLink' is distinct from g.back_up_url || '${backUpPath('')}' || p.id))
      else r.action = 'register' or (r.state = 'refused' and r.created_at < $2) end
  order by p.id limit $3`;

/** Registration entries, and how the tenant registers. */
@Injectable()
export class RegistryQueries {
  async setting(tx: TenantTx): Promise<RegistrySetting | null> {
    const [row] = await tx.sql<RegistrySetting>(
      `select url, back_up_url as "backUpUrl", certificate_chain as "certificateChain", seal_key as "wrappedKey", changed_at as "changedAt"
       from passports.registry_setting where tenant_id = $1`,
      [tx.tenantId],
    );
    return row ?? null;
  }

  async write(tx: TenantTx, { url, backUpUrl, certificateChain, wrappedKey, changedAt }: RegistrySetting, by: string): Promise<void> {
    await tx.sql(
      `insert into passports.registry_setting (tenant_id, url, back_up_url, certificate_chain, seal_key, changed_at, changed_by)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (tenant_id) do update set url = excluded.url, back_up_url = excluded.back_up_url, certificate_chain = excluded.certificate_chain,
         seal_key = excluded.seal_key, changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
      [tx.tenantId, url, backUpUrl, certificateChain, wrappedKey, changedAt, by],
    );
  }

  async remove(tx: TenantTx): Promise<void> {
    await tx.sql('delete from passports.registry_setting where tenant_id = $1', [tx.tenantId]);
  }

  /** Tenants that register. */
  registering(tx: SystemTx): Promise<readonly { readonly tenantId: string }[]> {
    return tx.sql<{ tenantId: string }>('select tenant_id as "tenantId" from passports.registry_setting order by tenant_id');
  }

  /** @param changedAt of the setting: what was refused before is tried again */
  registrable(tx: TenantTx, changedAt: Date, most: number): Promise<readonly RegistrableVersion[]> {
    return tx.sql<RegistrableVersion>(REGISTRABLE, [tx.tenantId, changedAt, most]);
  }

  /** Until the end of the transaction nobody else adds entries for this tenant. @returns false while another does */
  async lock(tx: TenantTx): Promise<boolean> {
    const rows = await tx.sql('select from passports.registry_setting where tenant_id = $1 for update skip locked', [tx.tenantId]);
    return rows.length > 0;
  }

  async add(
    tx: TenantTx,
    { passportId, version, action }: RegistrableVersion,
    text: { entry: string; seal: string },
    at: Date,
  ): Promise<void> {
    await tx.sql(
      `insert into passports.registration (tenant_id, passport_id, number, version, action, state, entry, seal, attempts, created_at, next_attempt_at)
       select $1, $2, coalesce(max(r.number), 0) + 1, $3, $4, 'waiting', $5, $6, 0, $7, $7
       from passports.registration r where r.tenant_id = $1 and r.passport_id = $2`,
      [tx.tenantId, passportId, version, action, text.entry, text.seal, at],
    );
  }

  /** Those that are due, in the order of their passports; of a passport the first that waits. */
  due(tx: TenantTx, now: Date, most: number): Promise<readonly Registration[]> {
    return tx.sql<Registration>(
      `select ${COLUMNS} from passports.registration r where r.tenant_id = $1 and r.state = 'waiting' and r.next_attempt_at <= $2
         and not exists (select from passports.registration b where b.tenant_id = $1 and b.passport_id = r.passport_id and b.number < r.number and b.state = 'waiting')
       order by r.passport_id limit $3`,
      [tx.tenantId, now, most],
    );
  }

  /** @returns false where it does not wait, or an earlier entry of its passport does */
  async settle(
    tx: TenantTx,
    { passportId, number }: Pick<Registration, 'passportId' | 'number'>,
    { state, registrationId = null, reasonCode = null, reason = null, at, next = null }: Settlement,
  ): Promise<boolean> {
    const rows = await tx.sql(
      `update passports.registration set state = $4, registration_id = $5, reason_code = $6, reason = $7, attempts = attempts + 1,
         settled_at = case when $4 = 'waiting' then null else $8::timestamptz end, next_attempt_at = coalesce($9, next_attempt_at)
       where tenant_id = $1 and passport_id = $2 and number = $3 and state = 'waiting' and not exists (select from passports.registration b
         where b.tenant_id = $1 and b.passport_id = $2 and b.number < $3 and b.state = 'waiting') returning number`,
      [tx.tenantId, passportId, number, state, registrationId, reasonCode, reason, at, next],
    );
    return rows.length > 0;
  }

  /** Newest first. */
  list(
    tx: TenantTx,
    request: PageRequest,
    filters: { readonly state?: string; readonly passportId?: string },
  ): Promise<Page<Registration>> {
    return pageOf<Registration>(tx, request, {
      columns: COLUMNS,
      from: 'passports.registration r where r.tenant_id = $1 and ($2::text is null or r.state = $2) and ($3::text is null or r.passport_id = $3)',
      order: 'r.created_at desc, r.passport_id, r.number desc',
      parameters: [tx.tenantId, filters.state ?? null, filters.passportId ?? null],
    });
  }

  /** Those that wait, oldest first: the content of a batch file. */
  waiting(tx: TenantTx, most: number): Promise<readonly Registration[]> {
    return tx.sql<Registration>(
      `select ${COLUMNS} from passports.registration r where r.tenant_id = $1 and r.state = 'waiting' order by r.created_at, r.passport_id, r.number limit $2`,
      [tx.tenantId, most],
    );
  }
}

interface Settlement {
  readonly state: RegistrationState;
  readonly registrationId?: string | null;
  readonly reasonCode?: string | null;
  readonly reason?: string | null;
  readonly at: Date;
  /** When it is tried again. */
  readonly next?: Date | null;
}
