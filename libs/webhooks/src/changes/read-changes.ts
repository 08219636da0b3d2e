import { Injectable } from '@nestjs/common';
import { listCursor } from '#http';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { changesExpired, changesUnknown } from '../errors.js';
import { TopicCatalogue } from '../topics/topic-catalogue.js';
import { type Change, type ChangePage, type Place, placeOf, readsChange } from './change.js';
import { ChangesQueries, type FeedEnds, type FeedRow } from './changes.queries.js';
import { type Watch, WatchChanges } from './watch-changes.js';

/** Rows that are examined for a page of few topics. */
const SCANNED = 1_000;

export interface ChangesRequest {
  /** `latest`: behind the last one; null: from the first one that is kept. */
  readonly after: Place | 'latest' | null;
  /** Names and patterns; null = all. */
  readonly topics: readonly string[] | null;
  readonly limit: number;
}

/** How a request waits for changes. */
export interface Waiting {
  readonly ms: number;
  /** Ends it: the client is gone, or the process stops. */
  readonly signal: AbortSignal;
  /** The rights that the caller has by now. @throws DomainError when the credential is no longer valid */
  readonly rights: () => Actor | Promise<Actor>;
}

interface FeedPart {
  readonly ends: FeedEnds;
  readonly rows: readonly FeedRow[];
}

/** Reads the change feed of a tenant with the rights of one principal. */
@Injectable()
export class ReadChanges {
  /** Readers of the same place after the same notification share one read. */
  private readonly shared = new Map<string, Promise<FeedPart>>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly changes: ChangesQueries,
    private readonly watchChanges: WatchChanges,
    private readonly catalogue: TopicCatalogue,
  ) {}

  /** What there is now. @throws DomainError 410 `changes_expired`, `changes_cursor_unknown` */
  page(actor: Actor, request: ChangesRequest): Promise<ChangePage> {
    return this.read(actor, request, null);
  }

  /** The next changes, as soon as there is one; none when the time is over. @throws DomainError as `page`, 429 `too_many_waiting_readers` */
  async next(actor: Actor, request: ChangesRequest, waiting: Waiting): Promise<ChangePage> {
    const watch = this.watchChanges.of(actor);
    try {
      return await this.watched(actor, request, waiting, watch);
    } finally {
      watch.end();
    }
  }

  /** Pages until the time is over; an empty one about every `beatMs`. */
  async *stream(actor: Actor, request: ChangesRequest, waiting: Waiting, beatMs: number): AsyncGenerator<ChangePage> {
    const end = performance.now() + waiting.ms;
    let after = request.after;
    for (let reader = actor; !waiting.signal.aborted && performance.now() < end; reader = await waiting.rights()) {
      const page = await this.next(reader, { ...request, after }, { ...waiting, ms: Math.min(beatMs, end - performance.now()) });
      after = page.next;
      yield page;
    }
  }

  private async watched(actor: Actor, request: ChangesRequest, { ms, signal, rights }: Waiting, watch: Watch): Promise<ChangePage> {
    const end = performance.now() + ms;
    let reader = actor;
    let after = request.after;
    for (;;) {
      const { version } = watch;
      const page = await this.read(reader, { ...request, after }, version);
      const left = end - performance.now();
      if (page.changes.length > 0 || signal.aborted || left <= 0) return page;
      after = page.next;
      if (!page.more) await watch.changed(version, left, signal);
      reader = await rights();
    }
  }

  private async read(actor: Actor, { after, topics, limit }: ChangesRequest, version: number | null): Promise<ChangePage> {
    const { ends, rows } = await this.part(actor, after, { topics: this.namesOf(topics), limit }, version);
    if (after === 'latest') return { changes: [], next: ends.last, more: false };
    const first: Place = { position: ends.keptFrom - 1, mark: '' };
    requireKept(after ?? first, ends, () => cursorOf(actor.tenantId, first));
    const changes: Change[] = [];
    let next = after ?? first;
    for (const row of rows) {
      if (changes.length === limit) break;
      next = placeOf(row);
      if (isWanted(row) && this.reads(actor, row)) changes.push(row);
    }
    return { changes, next, more: next.position < ends.last.position };
  }

  private part(
    actor: Actor,
    after: ChangesRequest['after'],
    wanted: { readonly topics: readonly string[] | null; readonly limit: number },
    version: number | null,
  ): Promise<FeedPart> {
    if (version === null) return this.partNow(actor, after, wanted);
    const key = JSON.stringify([actor.tenantId, version, after, wanted]);
    const running = this.shared.get(key) ?? this.partNow(actor, after, wanted).finally(() => this.shared.delete(key));
    this.shared.set(key, running);
    return running;
  }

  private partNow(
    { tenantId }: Actor,
    after: ChangesRequest['after'],
    { topics, limit }: { readonly topics: readonly string[] | null; readonly limit: number },
  ): Promise<FeedPart> {
    const position = after === null || after === 'latest' ? null : after.position;
    return this.unitOfWork.read({ tenantId }, async (tx) => {
      const rows = after === 'latest' ? [] : this.changes.rows(tx, position, topics, topics === null ? limit : Math.max(limit, SCANNED));
      const [ends, found] = await Promise.all([this.changes.ends(tx, position), rows]);
      return { ends, rows: found };
    });
  }

  private namesOf(topics: readonly string[] | null): readonly string[] | null {
    return topics && this.catalogue.matching(topics);
  }

  private reads(actor: Actor, change: Change): boolean {
    return readsChange(actor, this.catalogue.readersOf(change.topic), change);
  }
}

const isWanted = (row: FeedRow): row is FeedRow & Change => row.body !== null;

const cursors = (tenantId: string) => listCursor(tenantId, 'changes');

export const cursorOf = (tenantId: string, { position, mark }: Place): string => cursors(tenantId).after(String(position), mark);

/** @param pointer of the value in the request @throws DomainError 400 `invalid_cursor`, `foreign_cursor` */
export function placeIn(tenantId: string, cursor: string, pointer: string): Place {
  const fits = (parts: readonly string[]): boolean =>
    parts.length === 2 && /^\d{1,15}$/.test(parts[0]!) && /^[0-9a-f]{0,8}$/.test(parts[1]!);
  const [position, mark] = cursors(tenantId).place(cursor, fits, pointer);
  return { position: Number(position), mark: mark! };
}

/** @param first cursor of the first change that is kept */
function requireKept({ position, mark }: Place, { last, keptFrom, markThere }: FeedEnds, first: () => string): void {
  if (position > last.position || (mark !== '' && markThere !== null && markThere !== mark)) throw changesUnknown(first());
  if (position < keptFrom - 1) throw changesExpired(first());
}
