import { type Page, type PageRequest, isUuid } from '#kernel';
import { type SystemTx, type TenantTx, lockForChange, pageOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ElementRule } from '../elements/data-element.js';
import { GRANTS_OF_A_PASSPORT, grantNotFound, grantUnknown, tooManyGrants } from '../errors.js';
import type { Grant } from './grant.js';

const COLUMNS = `g.id, g.passport_id as "passportId", g.kind, g.access_class as "accessClass", g.grantee, g.purpose, g.created_at as "createdAt",
  g.created_by as "createdBy", g.expires_at as "expiresAt", g.uses, g.used_at as "usedAt", g.withdrawn_at as "withdrawnAt"`;

/** The event whose values a passport shows, and what its elements are. */
interface GrantedFacts {
  readonly eventId: string;
  readonly dataElements: readonly ElementRule[];
}

/** Grants to persons and organisations outside of the tenant. */
@Injectable()
export class GrantsQueries {
  /** Newest first. */
  list(tx: TenantTx, passportId: string, request: PageRequest): Promise<Page<Grant>> {
    return pageOf<Grant>(tx, request, {
      columns: COLUMNS,
      from: 'passports.access_grant g where g.tenant_id = $1 and g.passport_id = $2',
      order: 'g.created_at desc, g.id',
      parameters: [tx.tenantId, passportId],
    });
  }

  /** @throws DomainError 404 `grant_not_found` */
  byId(tx: TenantTx, passportId: string, id: string): Promise<Grant> {
    return this.one(tx, passportId, id, '');
  }

  /** Locked until the transaction ends. @throws DomainError 404 `grant_not_found` */
  forChange(tx: TenantTx, passportId: string, id: string): Promise<Grant> {
    return this.one(tx, passportId, id, 'for update');
  }

  private async one(tx: TenantTx, passportId: string, id: string, lock: '' | 'for update'): Promise<Grant> {
    if (!isUuid(id)) throw grantNotFound();
    const [grant] = await tx.sql<Grant>(
      `select ${COLUMNS} from passports.access_grant g where g.tenant_id = $1 and g.passport_id = $2 and g.id = $3 ${lock}`,
      [tx.tenantId, passportId, id],
    );
    if (!grant) throw grantNotFound();
    return grant;
  }

  /** @throws DomainError 429 `quota_exceeded` */
  async add(tx: TenantTx, { id, passportId, ...grant }: Grant, tokenHash: Buffer): Promise<void> {
    await lockForChange(tx, `passports.access_grant ${passportId}`);
    const [row] = await tx.sql<{ held: number }>(
      'select count(*)::int as held from passports.access_grant where tenant_id = $1 and passport_id = $2',
      [tx.tenantId, passportId],
    );
    if (row!.held >= GRANTS_OF_A_PASSPORT) throw tooManyGrants();
    await tx.sql(
      `insert into passports.access_grant (tenant_id, id, passport_id, token_hash, kind, access_class, grantee, purpose, created_at, created_by, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[tx.tenantId, id, passportId, tokenHash, grant.kind, grant.accessClass, grant.grantee, grant.purpose],
        ...[grant.createdAt, grant.createdBy, grant.expiresAt],
      ],
    );
  }

  /** Of any tenant: who has a grant knows none. @throws DomainError 403 `grant_unknown` */
  async byToken(tx: SystemTx, tokenHash: Buffer): Promise<Grant & { readonly tenantId: string }> {
    const [grant] = await tx.sql<Grant & { readonly tenantId: string }>(
      `select g.tenant_id as "tenantId", ${COLUMNS} from passports.access_grant g where g.token_hash = $1`,
      [tokenHash],
    );
    if (!grant) throw grantUnknown();
    return grant;
  }

  async use(tx: TenantTx, id: string, at: Date): Promise<void> {
    await tx.sql('update passports.access_grant set uses = uses + 1, used_at = $3 where tenant_id = $1 and id = $2', [tx.tenantId, id, at]);
  }

  async withdraw(tx: TenantTx, id: string, at: Date): Promise<void> {
    await tx.sql('update passports.access_grant set withdrawn_at = $3 where tenant_id = $1 and id = $2', [tx.tenantId, id, at]);
  }

  /** Null where the lot does not exist any more, and of a model: what holds for one lot of it holds for this lot only. */
  async facts(tx: TenantTx, passportId: string): Promise<GrantedFacts | null> {
    const [row] = await tx.sql<GrantedFacts>(
      `select l.mint_event_id as "eventId", coalesce(a.words -> 'dataElements', '[]') as "dataElements"
       from passports.passport p
       join traceability.lot_v1 l on l.tenant_id = p.tenant_id and l.token_id = p.token_id and l.tlc = p.tlc
       left join traceability.asset_type_v1 a on a.tenant_id = l.tenant_id and a.map_name = l.process_map_name
         and a.map_version = l.process_map_version and a.asset_type = l.asset_type
       where p.tenant_id = $1 and p.id = $2 and p.granularity <> 'model' and l.mint_event_id is not null`,
      [tx.tenantId, passportId],
    );
    return row ?? null;
  }
}
