import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type SystemTx, type TenantTx, type Tx, UnitOfWork } from '#persistence';
import { type Principal, subjectsOf } from './principal.js';

const MOST = 20_000;
/** A cached principal is used only while the revocations were read within this time (docs/spec/api.md#identity). */
const CONFIRMED_MS = 1_000;
/** Longer than a principal takes to load. */
const RECENT_MS = 30_000;

interface Entry {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly subjects: readonly string[];
}

/** Principals of verified credentials by the hash of the credential, until they expire or one of their subjects changes. Credentials are not stored. */
@Injectable()
export class PrincipalCache {
  private readonly entries = new Map<string, Entry>();
  private readonly bySubject = new Map<string, Set<string>>();
  private readonly recentlyEvicted = new Map<string, number>();
  private clearedAt = Number.NEGATIVE_INFINITY;
  private confirmed = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  get(hash: string): Principal | undefined {
    const entry = this.entries.get(hash);
    if (!entry || !this.isConfirmed()) return undefined;
    if (entry.expiresAt > this.clock.now().getTime()) return entry.principal;
    this.drop(hash, entry);
    return undefined;
  }

  /**
   * @param loadedSince `performance.now()` from before the rows were read: a principal that was revoked in the meantime is not cached
   * @param expiresAt milliseconds since the epoch
   */
  put(hash: string, principal: Principal, expiresAt: number, loadedSince: number): void {
    const subjects = subjectsOf(principal);
    if (this.clearedAt >= loadedSince || subjects.some((subject) => (this.recentlyEvicted.get(subject) ?? -1) >= loadedSince)) return;
    const old = this.entries.get(hash);
    if (old) this.drop(hash, old);
    if (this.entries.size >= MOST) this.dropOldest();
    this.entries.set(hash, { principal, expiresAt, subjects });
    for (const subject of subjects) {
      const hashes = this.bySubject.get(subject);
      if (hashes) hashes.add(hash);
      else this.bySubject.set(subject, new Set([hash]));
    }
  }

  evict(subjects: readonly string[]): void {
    const now = performance.now();
    for (const [subject, at] of this.recentlyEvicted) {
      if (now - at <= RECENT_MS) break;
      this.recentlyEvicted.delete(subject);
    }
    for (const subject of subjects) {
      this.recentlyEvicted.delete(subject);
      this.recentlyEvicted.set(subject, now);
      for (const hash of this.bySubject.get(subject) ?? []) this.drop(hash, this.entries.get(hash));
    }
  }

  clear(): void {
    this.clearedAt = performance.now();
    this.entries.clear();
    this.bySubject.clear();
  }

  isConfirmed(): boolean {
    return performance.now() - this.confirmed <= CONFIRMED_MS;
  }

  /** The revocations were read by a query that began at this `performance.now()`. */
  confirmedAt(started: number): void {
    this.confirmed = started;
  }

  private dropOldest(): void {
    const [oldest] = this.entries;
    if (oldest) this.drop(...oldest);
  }

  private drop(hash: string, entry: Entry | undefined): void {
    this.entries.delete(hash);
    for (const subject of entry?.subjects ?? []) {
      const hashes = this.bySubject.get(subject);
      hashes?.delete(hash);
      if (hashes?.size === 0) this.bySubject.delete(subject);
    }
  }
}

/** Invalidates the cached principals of a subject: recorded in the transaction, effective when it commits. */
export type Revoke = (subject: string) => Promise<void>;

/** Revoked subjects (`subjectOf`): effective on this node after the commit, and on every other node within a second. */
@Injectable()
export class RevocationsQueries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly cache: PrincipalCache,
  ) {}

  /** One transaction of the system that may revoke subjects. */
  asSystem<T>(work: (tx: SystemTx, revoke: Revoke) => Promise<T>): Promise<T> {
    return this.evictAfter((revoking) => this.unitOfWork.asSystem((tx) => work(tx, revoking(tx))));
  }

  /** One transaction of a tenant that may revoke subjects. */
  inTransaction<T>(scope: { readonly tenantId: string }, work: (tx: TenantTx, revoke: Revoke) => Promise<T>): Promise<T> {
    return this.evictAfter((revoking) => this.unitOfWork.inTransaction(scope, (tx) => work(tx, revoking(tx))));
  }

  /** For every node: the row is read by `WatchRevocations`. */
  async record(tx: Tx, subjects: readonly string[]): Promise<void> {
    await tx.sql('insert into identity.revocation (subject) select unnest($1::text[])', [subjects]);
  }

  recent(seconds: number): Promise<{ readonly id: string; readonly subject: string }[]> {
    return this.unitOfWork.readAsSystem((tx) =>
      tx.sql('select id, subject from identity.revocation where created_at > clock_timestamp() - make_interval(secs => $1)', [seconds]),
    );
  }

  /** Every process has read a revocation long before it is an hour old. */
  async deleteOld(): Promise<void> {
    await this.unitOfWork.writeAsSystem((tx) => tx.sql(`delete from identity.revocation where created_at < now() - interval '1 hour'`));
  }

  private async evictAfter<T>(run: (revoking: (tx: Tx) => Revoke) => Promise<T>): Promise<T> {
    const subjects = new Set<string>();
    const result = await run((tx) => async (subject) => {
      subjects.add(subject);
      await this.record(tx, [subject]);
    });
    this.cache.evict([...subjects]);
    return result;
  }
}
