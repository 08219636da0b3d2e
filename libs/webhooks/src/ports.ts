import type { SystemTx, TenantTx } from '#persistence';
import type { AttemptResult } from './domain/attempt-result.js';
import type { ClaimedDelivery, DeliveryStatus, Outcome, Settlement } from './domain/delivery.js';
import type { Subscription } from './domain/subscription.js';

/** Of one tenant; deleted ones are not there for anybody who asks here. */
export abstract class Subscriptions {
  /** @param id locked until the transaction ends. @throws DomainError 404 `webhook_not_found`, for a deleted one too */
  abstract forChange(tx: TenantTx, id: string): Promise<Subscription>;
  abstract count(tx: TenantTx): Promise<number>;
  /** For one more; whoever asks waits for others who asked in transactions that are open. @throws DomainError 429 `quota_exceeded` */
  abstract requireRoom(tx: TenantTx): Promise<void>;
  abstract add(tx: TenantTx, subscription: Subscription): Promise<void>;
  abstract save(tx: TenantTx, subscription: Subscription): Promise<void>;
  /** @throws DomainError 404 `webhook_not_found` */
  abstract byId(tx: TenantTx, id: string): Promise<Subscription>;
  /** Newest first. */
  abstract all(tx: TenantTx): Promise<readonly Subscription[]>;
}

/** Everything an attempt needs, its lease committed. */
export interface Claim extends ClaimedDelivery {
  readonly url: string;
  readonly sealedSecret: string;
  /** While its grace period lasts. */
  readonly sealedPreviousSecret: string | null;
  /** Of the trace that its topic came from; null where that is not recorded. */
  readonly traceparent: string | null;
}

export interface ClaimLimits {
  /** Free in this process. No tenant takes more of them than it leaves to the others, with what it holds already. */
  readonly slots: number;
  /** Tenant by tenant, attempts that are under way in this process. */
  readonly held: ReadonlyMap<string, number>;
  /** Attempts of one subscription in flight, over all workers. One that is failing gets one. */
  readonly perSubscription: number;
  readonly leaseMs: number;
  /** Subscriptions that are passed over this time. */
  readonly resting: readonly string[];
}

export interface Claimed {
  readonly claims: readonly Claim[];
  /** Slots were left where others could have used them: ask again at once. */
  readonly more: boolean;
}

export interface Settled {
  readonly delivery: ClaimedDelivery;
  readonly settlement: Settlement;
  readonly endedAt: Date;
  readonly success: boolean;
}

/** The worker's side of the delivery table, over all tenants. */
export abstract class AttemptBook {
  /** One batch of released topics, in order: a delivery row for each active subscription that listens. */
  abstract fanOut(tx: SystemTx, batch: number, at: Date): Promise<{ readonly topics: number; readonly deliveries: number }>;
  /** Due deliveries, oldest subscription first, moved to `sending` and counted; those of deleted or inactive subscriptions are discarded. */
  abstract claim(tx: SystemTx, limits: ClaimLimits, at: Date): Promise<Claimed>;
  /** Attempts whose lease ran out, locked: their worker is gone. */
  abstract interrupted(tx: SystemTx, limit: number, at: Date): Promise<readonly ClaimedDelivery[]>;
  /** Writes outcomes. One that comes after its lease was given away changes nothing but the attempt's record. */
  abstract settle(tx: SystemTx, settled: readonly Settled[], pauseAfterMs: number): Promise<void>;
  /** Forgets what ended before `before`, at most `limit` deliveries. */
  abstract purge(tx: SystemTx, before: Date, limit: number): Promise<number>;
  /** Forgets messages of that age whose deliveries are all gone, at most `limit`. */
  abstract purgeMessages(tx: SystemTx, before: Date, limit: number): Promise<number>;
}

export interface DeliveryFilter {
  readonly event: string | null;
  readonly status: DeliveryStatus | null;
  readonly before: { readonly createdAt: string; readonly id: string } | null;
  readonly limit: number;
}

/** A row of the list; times in ISO 8601. */
export interface DeliveryRecord {
  readonly id: string;
  readonly subscriptionId: string;
  readonly event: string;
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly attempt: number;
  readonly resends: number;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly deliveredBefore: boolean;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  /** `createdAt` in full, for the cursor: a Date has no microseconds. */
  readonly position: string;
  readonly attempts: readonly AttemptRecord[];
}

export interface AttemptRecord {
  readonly number: number;
  readonly manual: boolean;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly startedAt: string;
  readonly durationMs: number;
}

export interface NewDelivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

/** The admin's side of the delivery table, within one tenant. */
export abstract class Deliveries {
  /** @throws DomainError 404 `webhook_not_found` (not for a deleted one: its deliveries stay readable) */
  abstract list(tx: TenantTx, subscriptionId: string, filter: DeliveryFilter): Promise<readonly DeliveryRecord[]>;
  /** One that goes out although the subscription does not listen to it, or is paused or inactive. */
  abstract addTest(tx: TenantTx, subscription: Subscription, delivery: NewDelivery, at: Date): Promise<void>;
  /** @throws DomainError 404 `delivery_not_found`, 409 `delivery_in_flight` */
  abstract resend(tx: TenantTx, subscriptionId: string, id: string, at: Date): Promise<void>;
  /** Sends all failed ones again that were created from `since` on. */
  abstract recover(tx: TenantTx, subscriptionId: string, since: Date, at: Date): Promise<number>;
  /** Of an inactive subscription what an admin asked for still goes out; of a deleted one nothing. */
  abstract discardWaiting(tx: TenantTx, subscription: Subscription, reason: string, at: Date): Promise<void>;
  /** Lets go what a pause held back. */
  abstract releaseHeld(tx: TenantTx, subscriptionId: string, at: Date): Promise<void>;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The one way out: every address is checked, redirects are not followed, one limit covers the whole attempt. */
export abstract class OutboundClient {
  /** Never rejects: what goes wrong is an outcome. */
  abstract post(request: OutgoingRequest): Promise<Exclude<Outcome, { kind: 'interrupted' }>>;
  /** Any HTTP answer counts. @throws DomainError 422 `webhook_url_not_allowed`, `webhook_url_unreachable` */
  abstract probe(request: OutgoingRequest): Promise<void>;
}

/** Told of each attempt of this process, once what came of it is committed. */
export abstract class AttemptListener {
  /** @param status in which it left the delivery */
  abstract settled(result: AttemptResult, status: Settlement['status']): void;
}

/** Tells the workers that something is due. Only a hint: they look by themselves too. */
export abstract class DeliveryWakeUp {
  abstract wake(): Promise<void>;
}

/** What the operator set (configuration `WEBHOOK_*`), in the words of this context. */
export abstract class WebhookSettings {
  abstract readonly retry: { readonly delaysMs: readonly number[]; readonly jitter: number };
  abstract readonly timeoutMs: number;
  abstract readonly responseBytes: number;
  abstract readonly concurrency: number;
  abstract readonly perSubscription: number;
  abstract readonly pauseAfterMs: number;
  abstract readonly sweepMs: number;
  /** How long deliveries that ended are kept. */
  abstract readonly retentionMs: number;
  abstract readonly subscriptionsPerTenant: number;
}
