import { Injectable } from '@nestjs/common';
import type { Principal } from '../../domain/access.js';
import { subjectOf } from '../../domain/revocation.js';

const MOST = 20_000;
/** What is remembered counts only while the revocations were read within this time: the promise of api-decisions §2. */
const CONFIRMED_MS = 1_000;
/** Longer than a principal takes to load. */
const RECENT_MS = 30_000;

interface Entry {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly subjects: readonly string[];
}

/** Verified credentials by their hash, for their life or until something they hang on changes. No credential is kept. */
@Injectable()
export class PrincipalMemory {
  private readonly entries = new Map<string, Entry>();
  private readonly bySubject = new Map<string, Set<string>>();
  private readonly recentlyForgotten = new Map<string, number>();
  private clearedAt = Number.NEGATIVE_INFINITY;
  private confirmed = Number.NEGATIVE_INFINITY;

  get(hash: string): Principal | undefined {
    const entry = this.entries.get(hash);
    if (!entry || !this.isConfirmed()) return undefined;
    if (entry.expiresAt > Date.now()) return entry.principal;
    this.drop(hash, entry);
    return undefined;
  }

  /**
   * @param loadedSince `performance.now()` from before the rows were read: what was revoked meanwhile is not remembered
   * @param expiresAt milliseconds since the epoch
   */
  put(hash: string, principal: Principal, expiresAt: number, loadedSince: number): void {
    const subjects = subjectsOf(principal);
    if (this.clearedAt >= loadedSince || subjects.some((subject) => (this.recentlyForgotten.get(subject) ?? -1) >= loadedSince)) return;
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

  forget(subjects: readonly string[]): void {
    const now = performance.now();
    for (const [subject, at] of this.recentlyForgotten) {
      if (now - at <= RECENT_MS) break;
      this.recentlyForgotten.delete(subject);
    }
    for (const subject of subjects) {
      this.recentlyForgotten.delete(subject);
      this.recentlyForgotten.set(subject, now);
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

function subjectsOf(principal: Principal): string[] {
  const tenant = principal.actor ? [subjectOf.tenant(principal.actor.tenantId)] : [];
  if (principal.kind === 'api_key') return [subjectOf.apiKey(principal.actor.id), ...tenant];
  const member = principal.actor ? [subjectOf.member(principal.actor.tenantId, principal.userId)] : [];
  return [subjectOf.session(principal.sessionId), subjectOf.user(principal.userId), ...member, ...tenant];
}
