import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Actor } from '#kernel';
import { DatabaseNotifications, type NotificationListener } from '#persistence';
import { tooManyReaders } from '../errors.js';
import { CHANGES_CHANNEL } from './change.js';

/** A reader asks again after this time, because a notification may be lost. */
const RECHECK_MS = 5_000;
/** Requests of this process that wait. Each costs a connection and some kilobytes. */
const MOST_OF_PRINCIPAL = 200;
const MOST_OF_TENANT = 1_000;

/** What a waiting reader knows of its tenant's feed. */
export interface Watch {
  /** Grows with each notification. Take it before reading: what is committed after that makes it grow. */
  readonly version: number;
  /** Resolves when the version is greater than this one, after `ms`, after a few seconds, or when the signal aborts. */
  changed(since: number, ms: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

class TenantFeed {
  version = 0;
  readers = 0;
  readonly waiting = new Set<() => void>();

  wake(): void {
    this.version++;
    for (const go of [...this.waiting]) go();
  }

  wait(since: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.version > since || ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', go);
        this.waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, Math.min(ms, RECHECK_MS));
      signal.addEventListener('abort', go, { once: true });
      this.waiting.add(go);
    });
  }
}

/** Wakes the readers of this process when the feed of their tenant has grown, whichever process relayed what is new. */
@Injectable()
export class WatchChanges implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly feeds = new Map<string, TenantFeed>();
  /** By principal. */
  private readonly waiting = new Map<string, number>();
  private listening: NotificationListener | null = null;

  constructor(private readonly notifications: DatabaseNotifications) {}

  onApplicationBootstrap(): void {
    this.listening = this.notifications.listen(CHANGES_CHANNEL, (tenantId) => this.wake(tenantId));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.listening?.close();
  }

  /** @throws DomainError 429 `too_many_waiting_readers` */
  of({ id, tenantId }: Actor): Watch {
    const feed = this.feeds.get(tenantId) ?? new TenantFeed();
    const own = (this.waiting.get(id) ?? 0) + 1;
    if (own > MOST_OF_PRINCIPAL) throw tooManyReaders(MOST_OF_PRINCIPAL);
    if (feed.readers >= MOST_OF_TENANT) throw tooManyReaders(MOST_OF_TENANT);
    this.feeds.set(tenantId, feed);
    this.waiting.set(id, own);
    feed.readers++;
    return {
      get version() {
        return feed.version;
      },
      changed: (since, ms, signal) => feed.wait(since, ms, signal),
      end: () => this.end(id, tenantId, feed),
    };
  }

  private end(id: string, tenantId: string, feed: TenantFeed): void {
    if (--feed.readers === 0) this.feeds.delete(tenantId);
    const left = this.waiting.get(id)! - 1;
    if (left === 0) this.waiting.delete(id);
    else this.waiting.set(id, left);
  }

  /** @param tenantId empty after a connection was opened: notifications of any tenant may have been lost */
  private wake(tenantId: string): void {
    if (tenantId !== '') return this.feeds.get(tenantId)?.wake();
    for (const feed of this.feeds.values()) feed.wake();
  }
}
