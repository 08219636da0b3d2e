import { AuditLog } from '#identity';
import { ANY_STATE, type Actor, Clock, type ExpectedState, invalidContent, newId } from '#kernel';
import { UnitOfWork, lockForChange } from '#persistence';
import { Injectable } from '@nestjs/common';
import { LinksQueries } from './links.queries.js';
import { type LinkWords, type TenantLink, anchorOf, faultsOf, withLinkType, wordsOf } from './tenant-link.js';

/** Links that a tenant adds to the keys of its goods, places and parties. Changes are in the audit log. */
@Injectable()
export class ChangeLinks {
  constructor(
    private readonly work: UnitOfWork,
    private readonly links: LinksQueries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422 `invalid_content`, 429 `quota_exceeded` */
  create(actor: Actor, { anchor: given, ...words }: LinkWords & { readonly anchor: string }): Promise<TenantLink> {
    const anchor = anchorOf(given);
    const named = withLinkType(words);
    const faults = [...(typeof anchor === 'string' ? [] : [anchor]), ...faultsOf(named)];
    if (typeof anchor !== 'string' || faults.length > 0) throw invalidContent(faults);
    const at = this.clock.now();
    const link: TenantLink = { ...named, id: newId(), anchor, createdAt: at, changedAt: at };
    return this.work.inTransaction(actor, async (tx) => {
      await this.links.requireRoom(tx, anchor);
      await lockForChange(tx, `passports.link ${anchor}`);
      await this.links.write(tx, link, actor.id);
      await this.audit.record(tx, actor.tenantId, actor, {
        action: 'link.created',
        subject: link.id,
        details: { anchor, ...wordsOf(link) },
      });
      return link;
    });
  }

  /** What is absent stays as it is. @throws DomainError 404 `link_not_found`, 412, 422 `invalid_content` */
  change(actor: Actor, id: string, changes: Partial<LinkWords>, expected: ExpectedState = ANY_STATE): Promise<TenantLink> {
    const named = withLinkType(changes);
    const faults = faultsOf(named);
    if (faults.length > 0) throw invalidContent(faults);
    return this.work.inTransaction(actor, async (tx) => {
      const { anchor } = await this.links.byId(tx, id);
      await lockForChange(tx, `passports.link ${anchor}`);
      const from = await this.links.forChange(tx, id);
      expected.check(wordsOf(from));
      const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
      if (Object.keys(given).length === 0) return from;
      const to: TenantLink = { ...from, ...given, changedAt: this.clock.now() };
      await this.links.write(tx, to, actor.id);
      await this.audit.record(tx, actor.tenantId, actor, { action: 'link.changed', subject: from.id, details: { anchor, changed: given } });
      return to;
    });
  }

  /** @throws DomainError 404 `link_not_found`, 412 */
  remove(actor: Actor, id: string, expected: ExpectedState = ANY_STATE): Promise<void> {
    return this.work.inTransaction(actor, async (tx) => {
      const link = await this.links.forChange(tx, id);
      expected.check(wordsOf(link));
      await this.links.remove(tx, link.id);
      const details = { anchor: link.anchor, href: link.href };
      await this.audit.record(tx, actor.tenantId, actor, { action: 'link.deleted', subject: link.id, details });
    });
  }
}
