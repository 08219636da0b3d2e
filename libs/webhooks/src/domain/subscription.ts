import { checkedUrl } from './address.js';
import { checkedTopics } from './topics.js';

/** What a client says about a subscription (specification §4.5). */
export interface SubscriptionInput {
  readonly url: string;
  readonly events: readonly string[];
}

export type SubscriptionChanges = Partial<SubscriptionInput & { readonly active: boolean }>;

/** Specification §2.12. Secrets stand here sealed only. */
export class Subscription {
  tenantId: string;
  id: string;
  url: string;
  /** Topics and families of topics (`custody.*`). */
  events: string[];
  active: boolean;
  /** Set by the service when nothing has come through for days; `active` stays the admin's. */
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
  static register(tenantId: string, id: string, input: SubscriptionInput, sealedSecret: string, at: Date): Subscription {
    checkedUrl(input.url);
    return Object.assign(new Subscription(), {
      tenantId,
      id,
      url: input.url,
      events: checkedTopics(input.events),
      active: true,
      pausedSince: null,
      pausedReason: null,
      failingSince: null,
      sealedSecret,
      sealedPreviousSecret: null,
      previousSecretUntil: null,
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
    });
  }

  /** Absent means unchanged; `events` is replaced whole. A new URL starts with a clean record. */
  change(changes: SubscriptionChanges, at: Date): void {
    if (changes.url !== undefined && changes.url !== this.url) {
      checkedUrl(changes.url);
      this.url = changes.url;
      this.failingSince = null;
    }
    if (changes.events !== undefined) this.events = checkedTopics(changes.events);
    if (changes.active !== undefined) this.active = changes.active;
    this.updatedAt = at;
  }

  /** The old secret signs along until the grace period ends. */
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

  /** The row stays, because its deliveries stay readable; the secrets do not. */
  delete(at: Date): void {
    this.deletedAt = at;
    this.active = false;
    this.sealedSecret = null;
    this.sealedPreviousSecret = null;
    this.updatedAt = at;
  }
}

/** What may be told of a receiver where a URL may not: many carry their credential in path or query. */
export const receiverOf = (url: string): string => new URL(url).origin;
