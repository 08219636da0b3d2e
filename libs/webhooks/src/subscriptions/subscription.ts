import { checkedUrl } from '../outbound/address.js';
import type { TopicCatalogue } from '../topics/topic-catalogue.js';

/** What a client says about a subscription (docs/spec/service.md#webhook-endpoints). */
export interface SubscriptionInput {
  readonly url: string;
  readonly events: readonly string[];
  /** One of the client's own; otherwise the service makes one. */
  readonly secret?: string;
}

export type SubscriptionChanges = Partial<Omit<SubscriptionInput, 'secret'> & { readonly active: boolean }>;

/** A subscription, and its secret in the clear: shown once. */
export interface SubscriptionWithSecret {
  readonly subscription: Subscription;
  readonly secret: string;
}

/** docs/spec/service.md#webhook-subscription. Secrets are always sealed here. */
export class Subscription {
  tenantId: string;
  id: string;
  url: string;
  /** Topics and families of topics (`custody.*`). */
  events: string[];
  active: boolean;
  /** Set by the service when no delivery has succeeded for days; `active` is changed by admins only. */
  pausedSince: Date | null;
  pausedReason: string | null;
  /** First failed attempt since the last success. */
  failingSince: Date | null;
  sealedSecret: string | null;
  sealedPreviousSecret: string | null;
  previousSecretUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;

  /** @throws DomainError 422 `webhook_url_invalid`, `webhook_topic_unknown` */
  static register(owner: { tenantId: string; id: string }, input: SubscriptionInput, topics: TopicCatalogue, at: Date): Subscription {
    checkedUrl(input.url);
    return Object.assign(new Subscription(), {
      ...owner,
      url: input.url,
      events: topics.checked(input.events),
      active: true,
      pausedSince: null,
      pausedReason: null,
      failingSince: null,
      sealedSecret: null,
      sealedPreviousSecret: null,
      previousSecretUntil: null,
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
    });
  }

  /** Absent means unchanged; `events` is replaced whole. A new URL starts with a clean record. */
  change(changes: SubscriptionChanges, topics: TopicCatalogue, at: Date): void {
    if (changes.url !== undefined && changes.url !== this.url) {
      checkedUrl(changes.url);
      this.url = changes.url;
      this.failingSince = null;
    }
    if (changes.events !== undefined) this.events = topics.checked(changes.events);
    if (changes.active !== undefined) this.active = changes.active;
    this.updatedAt = at;
  }

  /** The old secret stays valid until the grace period ends. */
  rotate(sealedSecret: string, graceMs: number, at: Date): void {
    this.sealedPreviousSecret = graceMs > 0 ? this.sealedSecret : null;
    this.previousSecretUntil = graceMs > 0 ? new Date(at.getTime() + graceMs) : null;
    this.sealedSecret = sealedSecret;
    this.updatedAt = at;
  }

  resume(at: Date): void {
    this.pausedSince = null;
    this.pausedReason = null;
    this.failingSince = null;
    this.updatedAt = at;
  }

  /** The row stays, because its deliveries stay readable; its secrets are deleted. */
  delete(at: Date): void {
    this.deletedAt = at;
    this.active = false;
    this.sealedSecret = null;
    this.sealedPreviousSecret = null;
    this.updatedAt = at;
  }
}

/** What clients see of it, apart from its secret (docs/spec/service.md#webhook-subscription). */
export const shownOf = ({ id, url, events, active, createdAt, pausedSince, pausedReason }: Subscription) => ({
  id,
  url,
  events,
  active,
  createdAt: createdAt.toISOString(),
  paused: pausedSince && { since: pausedSince.toISOString(), reason: pausedReason ?? '' },
});

/** For the audit log: many URLs carry a credential in path or query. */
export const receiverOf = (url: string): string => new URL(url).origin;
