import { ChainHead } from '#chain';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { holdErasures } from '#sealed-contents';
import { EventAccounts } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { EventAccount } from '../contract.js';
import { type EpcisEvent, capturedEvent, epcisEvent } from '../epcis/epcis-event.js';
import { SELF, indexedEvent } from '../epcis/indexed-event.js';
import type { Json } from '../epcis/json.js';
import { CapturedQueries } from '../event-feed/captured.queries.js';
import type { FeedRequest, SourceEntry } from '../event-feed/event-feed.js';
import { CustodyFeedQueries, RecallFeedQueries } from '../event-feed/transitions.queries.js';
import { EpcisEventQueries, type StoredEvent } from './epcis-events.queries.js';
import { PendingEventQueries } from './pending-events.queries.js';
import { type Followed, RepositoryStateQueries } from './repository-state.queries.js';

/** Changes of one transaction. */
const BATCH = 500;
const PAGE = 250;

interface Tenant {
  readonly tenantId: string;
  readonly slug: string;
}

/** Who reads an event whole, and who reads the public part: an event is written once for each. */
const readerOf = ({ tenantId, slug }: Tenant, role: 'TENANT_ADMIN' | 'OPERATOR'): Actor => ({
  kind: 'user',
  id: 'epcis-repository',
  tenantId,
  tenantSlug: slug,
  roles: [role],
  roleScopes: {},
  orgId: null,
  wallet: null,
  wallets: [],
});

/** Custody and recalls that no event records. */
@Injectable()
export class TransitionFeeds {
  constructor(
    private readonly custody: CustodyFeedQueries,
    private readonly recalls: RecallFeedQueries,
  ) {}

  /** Of the blocks behind the first, up to the second. */
  async between(tx: TenantTx, tenant: Tenant, blocks: readonly [after: number, upTo: number]): Promise<StoredEvent[]> {
    const naming = { base: SELF, tenant: tenant.slug };
    const request: FeedRequest = { actor: readerOf(tenant, 'TENANT_ADMIN'), filter: { status: 'landed', scope: null }, naming, blocks };
    const sources: readonly (readonly [string, (after: SourceEntry | null) => Promise<readonly SourceEntry[]>])[] = [
      ['offered', (after) => this.custody.page('custody.offer_change_v1', tx, request, after, PAGE)],
      ['closed', (after) => this.custody.page('custody.closing_change_v1', tx, request, after, PAGE)],
      ['recall', (after) => this.recalls.page(tx, request, after, PAGE)],
    ];
    const stored: StoredEvent[] = [];
    for (const [name, next] of sources)
      for (let page = await next(null); page.length > 0; page = page.length < PAGE ? [] : await next(page.at(-1)!))
        stored.push(...page.map((entry) => transitionOf(name, entry)));
    return stored;
  }
}

interface Written {
  readonly ids: readonly string[];
  readonly blocks: FeedRequest['blocks'];
  /** Keys that may be no more. */
  readonly gone: readonly string[];
  /** Events that changed in blocks which are final now. */
  readonly final: { readonly ids: readonly string[]; readonly upTo: number };
}

/** Recorded events as each of their readers sees them. */
@Injectable()
export class RecordedEvents {
  constructor(
    private readonly accounts: EventAccounts,
    private readonly captured: CapturedQueries,
    private readonly state: RepositoryStateQueries,
  ) {}

  async of(tx: TenantTx, tenant: Tenant, ids: readonly string[]): Promise<StoredEvent[]> {
    const stored: StoredEvent[] = [];
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE);
      const filter = { status: 'landed', ids: page, scope: null } as const;
      const [whole, rest] = [
        await this.accounts.page(tx, readerOf(tenant, 'TENANT_ADMIN'), filter, null, page.length),
        await this.accounts.page(tx, readerOf(tenant, 'OPERATOR'), filter, null, page.length),
      ];
      const captured = await this.captured.events(tx, page);
      const facts = await this.state.facts(tx, page);
      const restById = new Map(rest.map((account) => [account.event.id, account]));
      for (const account of whole) {
        const { id } = account.event;
        stored.push(...storedOf(tenant, account, restById.get(id) ?? account, captured.get(id), facts.get(id)!));
      }
    }
    return stored;
  }
}

/** Writes recorded events, custody and recalls into the repository. */
@Injectable()
export class WriteRecordedEvents {
  constructor(
    private readonly recorded: RecordedEvents,
    private readonly feeds: TransitionFeeds,
    private readonly events: EpcisEventQueries,
    private readonly state: RepositoryStateQueries,
    private readonly pending: PendingEventQueries,
  ) {}

  async write(tx: TenantTx, tenant: Tenant, { ids, blocks, gone, final }: Written, now: Date): Promise<void> {
    const recorded = await this.recorded.of(tx, tenant, ids);
    const kept = await this.state.kept(tx, ids);
    const transitions = blocks ? await this.feeds.between(tx, tenant, blocks) : [];
    const stored = [...recorded, ...transitions];
    const unchanged = await this.events.unchanged(tx, stored);
    const isChanged = (key: string): boolean => !unchanged.has(key);
    const keys = [...gone, ...ids.map((id) => `event:${id}`), ...kept.map((one) => one.kept)].filter(isChanged);
    await this.pending.replaced(tx, kept);
    const changed = stored.filter(({ key }) => isChanged(key));
    await this.events.replace(tx, changed, keys, now);
    const finalTransitions = transitions.filter(({ block }) => block !== null && block <= final.upTo).map(({ key }) => key);
    await this.pending.announceFinal(tx, [...final.ids.map((id) => `event:${id}`), ...finalTransitions]);
  }
}

/**
 * Follows the chain and keeps every recorded event, change of custody and recall as EPCIS, with what queries find it by. Each batch is a
 * transaction that saves how far it came. What blocks wrote that are not final is compared with every pass and written again where it
 * changed, so an undone block leaves nothing.
 */
@Injectable()
export class RepositoryProjector {
  constructor(
    private readonly work: UnitOfWork,
    private readonly head: ChainHead,
    private readonly clock: Clock,
    private readonly state: RepositoryStateQueries,
    private readonly writing: WriteRecordedEvents,
  ) {}

  /** Until nothing is left. */
  async project(tenant: Tenant, stop: AbortSignal = new AbortController().signal): Promise<void> {
    // During a reindex events are missing that will be there again.
    if (await this.work.readAsSystem((tx) => this.head.isRebuilding(tx))) return;
    while (!stop.aborted && (await this.work.inTransaction(tenant, (tx) => this.batch(tx, tenant))));
  }

  /** Tenants in which there is something to do. */
  async tenants(): Promise<readonly Tenant[]> {
    const position = await this.work.readAsSystem((tx) => this.head.position(tx));
    return this.work.readAsSystem((tx) => this.state.behind(tx, position));
  }

  /** @returns whether there is more */
  private async batch(tx: TenantTx, tenant: Tenant): Promise<boolean> {
    // What is read of events is written again here.
    await holdErasures(tx);
    const [followed, position] = [await this.state.acquire(tx), await this.head.position(tx)];
    if (!followed) return false;
    const due = await this.state.due(tx, BATCH);
    const hasMoved = followed.seen?.head !== position.head || followed.seen.final !== position.final;
    if (!hasMoved && due.length === 0) return false;
    const span = hasMoved ? await this.span(tx, followed, position.head) : null;
    const undoable = span ? await this.state.undoable(tx, followed.finalBlock) : [];
    const undoableIds = undoable.flatMap((key) => (key.startsWith('event:') ? [key.slice('event:'.length)] : []));
    const changed = span?.changes ?? [];
    const ids = [...new Set([...due, ...undoableIds, ...changed.map(({ id }) => id)])];
    const blocks: FeedRequest['blocks'] = span ? [followed.finalBlock, span.upTo] : undefined;
    const finalBlock = Math.max(followed.finalBlock, Math.min(span?.upTo ?? -1, position.final));
    const final = { ids: [...new Set(changed.filter(({ block }) => block <= finalBlock).map(({ id }) => id))], upTo: finalBlock };
    await this.writing.write(tx, tenant, { ids, blocks, gone: undoable, final }, this.clock.now());
    await this.state.settle(tx, due);
    if (!span) return due.length === BATCH;
    const isComplete = span.upTo >= position.head;
    await this.state.save(tx, { finalBlock, seen: isComplete ? position : followed.seen });
    return !isComplete || due.length === BATCH;
  }

  /** The next blocks and the events that they changed: whole blocks, as many as one transaction takes. */
  private async span(
    tx: TenantTx,
    { finalBlock }: Followed,
    head: number,
  ): Promise<{ readonly changes: Awaited<ReturnType<RepositoryStateQueries['changes']>>; readonly upTo: number }> {
    for (let limit = BATCH; ; limit *= 2) {
      const changes = await this.state.changes(tx, finalBlock, head, limit);
      const last = changes.at(-1);
      if (!last || changes.length < limit) return { changes, upTo: head };
      const whole = changes.filter(({ block }) => block < last.block);
      if (whole.length > 0) return { changes: whole, upTo: last.block - 1 };
    }
  }
}

function storedOf(
  tenant: Tenant,
  account: EventAccount,
  rest: EventAccount,
  captured: Json | undefined,
  facts: { readonly block: number; readonly isUnresolved: boolean },
): StoredEvent[] {
  const naming = { base: SELF, tenant: tenant.slug };
  const { id, processType, actor } = account.event;
  const about = { key: `event:${id}`, orgId: actor.orgId, processType, isScoped: true, ...facts };
  const whole = captured ? capturedEvent(captured, account) : epcisEvent(account, naming);
  const others = epcisEvent(rest, naming);
  const [wholeText, restText] = [JSON.stringify(whole), JSON.stringify(others)];
  if (wholeText === restText) return [{ ...about, audience: 'all', indexed: indexOf(whole), text: wholeText }];
  return [
    { ...about, audience: 'whole', indexed: indexOf(whole), text: wholeText },
    { ...about, audience: 'rest', indexed: indexOf(others), text: restText },
  ];
}

const indexOf = (event: EpcisEvent) => indexedEvent(event, String(event['eventID'] ?? event['id']));

function transitionOf(source: string, { key, block, event }: SourceEntry): StoredEvent {
  const written = event();
  return {
    key: `${source}:${key}`,
    audience: 'all',
    orgId: null,
    processType: null,
    isScoped: false,
    block: block!,
    isUnresolved: false,
    indexed: indexOf(written),
    text: JSON.stringify(written),
  };
}
