import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import type { PostOutcome } from './outbound/outcome.js';

/** A message that goes to one webhook alone. */
export interface DirectMessage {
  /** Named in `X-Webhook-Event`. */
  readonly event: string;
  /** The exact bytes, as text. */
  readonly body: string;
}

/** Webhooks that another context subscribes to what it alone sends them. Their deliveries are listed, resent and paused like all others. */
export abstract class DirectWebhooks {
  /**
   * @param event what the list of webhooks shows as its topic
   * @param also in the same transaction
   * @returns its id, and the secret of its signatures, which is shown once
   * @throws DomainError 422 `webhook_url_*`, 429 `quota_exceeded`
   */
  abstract register(
    actor: Actor,
    receiver: { readonly url: string; readonly event: string },
    also: (tx: TenantTx, webhookId: string) => Promise<void>,
  ): Promise<{ readonly id: string; readonly secret: string }>;

  /** What waits is discarded; deliveries stay readable. One that was deleted is left. */
  abstract remove(tx: TenantTx, actor: Actor, id: string): Promise<void>;
}

/** POSTs to an address that a tenant chose, with the same guards as deliveries: inner addresses are refused, redirects not followed. */
export abstract class GuardedPosts {
  /** Never rejects: what goes wrong is an outcome. */
  abstract post(request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
  }): Promise<PostOutcome>;
}

/** Sends to such webhooks: in the transaction of what it tells, so that each message is sent once or not at all. */
export abstract class DirectMessages {
  /** @returns false where the webhook was deleted */
  abstract send(tx: TenantTx, webhookId: string, message: DirectMessage): Promise<boolean>;

  /** After the transaction. Never rejects. */
  abstract wake(): Promise<void>;
}
