import { type Page, type PageRequest, isUuid } from '#kernel';
import { type TenantTx, lockForChange, pageOf } from '#persistence';
import { LINKS_OF_A_KEY, linkNotFound, tooManyLinks } from '../errors.js';
import type { TenantLink } from './tenant-link.js';

const COLUMNS = `id, anchor, link_type as "linkType", href, title, media_type as "mediaType", languages, is_default as "isDefault",
  created_at as "createdAt", changed_at as "changedAt"`;

/** Links of the tenant's own. */
export class LinksQueries {
  /** @param limit of one tenant */
  constructor(private readonly limit: number) {}

  /** Newest first. @param anchor those of one key; null: all */
  list(tx: TenantTx, request: PageRequest, anchor: string | null): Promise<Page<TenantLink>> {
    return pageOf<TenantLink>(tx, request, {
      columns: COLUMNS,
      from: 'passports.link where tenant_id = $1 and ($2::text is null or anchor = $2)',
      order: 'created_at desc, id',
      parameters: [tx.tenantId, anchor],
    });
  }

  /** @throws DomainError 404 `link_not_found` */
  byId(tx: TenantTx, id: string): Promise<TenantLink> {
    return this.one(tx, id, '');
  }

  /** Locked until the transaction ends. @throws DomainError 404 `link_not_found` */
  forChange(tx: TenantTx, id: string): Promise<TenantLink> {
    return this.one(tx, id, 'for update');
  }

  /** For one more; waits for other transactions that asked and are open. @throws DomainError 429 `quota_exceeded` */
  async requireRoom(tx: TenantTx, anchor: string): Promise<void> {
    await lockForChange(tx, 'passports.link');
    const [row] = await tx.sql<{ held: number; here: number }>(
      'select count(*)::int as held, count(*) filter (where anchor = $2)::int as here from passports.link where tenant_id = $1',
      [tx.tenantId, anchor],
    );
    if (row!.held >= this.limit || row!.here >= LINKS_OF_A_KEY) throw tooManyLinks(this.limit);
  }

  /** Writes a link, new or changed; of the links of a key one is the default, the last that was made it. */
  async write(tx: TenantTx, link: TenantLink, by: string): Promise<void> {
    if (link.isDefault)
      await tx.sql('update passports.link set is_default = false where tenant_id = $1 and anchor = $2 and id <> $3 and is_default', [
        tx.tenantId,
        link.anchor,
        link.id,
      ]);
    const { id, anchor, linkType, href, title, mediaType, languages, isDefault, createdAt, changedAt } = link;
    await tx.sql(
      `insert into passports.link (tenant_id, id, anchor, link_type, href, title, media_type, languages, is_default, created_at, changed_at, changed_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict (tenant_id, id) do update set link_type = excluded.link_type, href = excluded.href, title = excluded.title,
         media_type = excluded.media_type, languages = excluded.languages, is_default = excluded.is_default,
         changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
      [tx.tenantId, id, anchor, linkType, href, title, mediaType, languages, isDefault, createdAt, changedAt, by],
    );
  }

  async remove(tx: TenantTx, id: string): Promise<void> {
    await tx.sql('delete from passports.link where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  }

  private async one(tx: TenantTx, id: string, lock: string): Promise<TenantLink> {
    if (!isUuid(id)) throw linkNotFound();
    const [row] = await tx.sql<TenantLink>(`select ${COLUMNS} from passports.link where tenant_id = $1 and id = $2 ${lock}`, [
      tx.tenantId,
      id,
    ]);
    if (!row) throw linkNotFound();
    return row;
  }
}
