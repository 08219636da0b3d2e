import { Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { GatherRecallRequests } from './gather-recall-requests.js';
import { Audience, type FeedChange, type Matter, counted } from './notice.js';
import { NoticeSourceQueries } from './notice-sources.queries.js';
import { NoticeQueries } from './notices.queries.js';
import { offerMatter, offersIn } from './offer-matters.js';

/** What is not in the change feed is looked for after this time. */
const IDLE_MS = 300_000;

/** Finds what concerns people. Nothing is found twice: the place in the change feed moves in the same transaction. */
@Injectable()
export class GatherNotices {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sources: NoticeSourceQueries,
    private readonly notices: NoticeQueries,
    private readonly people: GatherRecallRequests,
    private readonly clock: Clock,
  ) {}

  /** @param idleMs after which a tenant is visited though nothing is in its feed */
  due(idleMs = IDLE_MS): Promise<readonly { readonly tenantId: string }[]> {
    const now = this.clock.now();
    return this.unitOfWork.asSystem((tx) => this.sources.dueTenants(tx, now, new Date(now.getTime() - idleMs)));
  }

  /** @returns how many notices are new */
  gather(tenantId: string): Promise<number> {
    const now = this.clock.now();
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const place = await this.sources.cursor(tx);
      if (!place) return 0;
      const recipients = await this.people.recipients(tx);
      const audience = new Audience(recipients, await this.sources.orgsOfWallets(tx));
      const { changes, next } = await this.sources.changes(tx, place.position, now);
      const recalled = changes.filter(({ topic }) => topic === 'nft.recalled').map(({ data }) => String(data['txHash']));
      await this.sources.openRequests(tx, [...new Set(recalled)], now);
      const matters = [
        ...(await this.people.matters(tx, audience, now)),
        ...(await this.offered(tx, changes, audience)),
        ...changes.filter(({ topic }) => topic === 'import.finished').map(({ data }) => importMatter(data, audience)),
        ...(await this.fromState(tx, audience, now)),
      ];
      const stored = await this.notices.store(tx, matters, now);
      await this.notices.endOffers(tx, now);
      await this.sources.moveCursor(tx, next, now);
      return stored;
    });
  }

  private async offered(tx: TenantTx, changes: readonly FeedChange[], audience: Audience): Promise<readonly Matter[]> {
    const offers = offersIn(changes);
    const names = await this.sources.namesOfWallets(tx, [...new Set(offers.map(({ from }) => from))]);
    return offers.map((offer) => offerMatter(offer, names.get(offer.from) ?? offer.from, audience));
  }

  private async fromState(tx: TenantTx, audience: Audience, now: Date): Promise<readonly Matter[]> {
    const day = now.toISOString().slice(0, 10);
    const alerts = (await this.sources.alerts(tx, now)).map(({ type, group, orgIds, count, title }): Matter => ({
      topic: 'alert',
      // One a day of a kind, however many are found.
      key: `alert:${type}:${group}:${orgIds.join()}:${day}`,
      title: count === 1 ? title : `${title}, and ${counted(count - 1, 'more alert')} of this kind.`,
      link: '/reports/alerts',
      to: audience.whoReport(orgIds),
    }));
    const documents = (await this.sources.expiringDocuments(tx, now)).map(({ type, number, validTo, orgId }): Matter => ({
      topic: 'document',
      key: `document:${type}:${number}:${validTo}`,
      title: `${type} ${number} is valid until ${validTo}.`,
      link: '/reports/documents',
      to: audience.whoReport(orgId === null ? [] : [orgId]),
    }));
    const webhooks = (await this.sources.pausedWebhooks(tx)).map(({ id, host, since }): Matter => ({
      topic: 'webhook',
      key: `webhook:${id}:${since.getTime()}`,
      title: `The webhook to ${host} is paused, because its deliveries fail.`,
      link: '/admin/webhooks',
      to: audience.whoAdminister(),
    }));
    return [...alerts, ...documents, ...webhooks];
  }
}

type Change = Readonly<Record<string, unknown>>;

function importMatter(data: Change, audience: Audience): Matter {
  const [outcome, rows, valid] = [String(data['outcome']), Number(data['rows']), Number(data['validRows'])];
  const what = data['dryRun'] === true ? 'check of your import' : 'import of your file';
  const title =
    outcome === 'finished'
      ? `The ${what} is finished: ${valid} of ${counted(rows, 'row')} can be used.`
      : `The ${what} ${outcome === 'cancelled' ? 'was cancelled' : 'has failed'}.`;
  const { importId, finishedAt, startedBy } = data;
  return {
    topic: 'import',
    key: `import:${String(importId)}:${String(finishedAt)}`,
    title,
    link: null,
    to: audience.person(String(startedBy)),
  };
}
