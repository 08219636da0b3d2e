import type { WebhooksConfig } from '#config';

/** Operator settings (configuration `WEBHOOK_*`). A class, because it is also an injection token. */
export class WebhookSettings {
  readonly retry: { readonly delaysMs: readonly number[]; readonly jitter: number };
  readonly timeoutMs: number;
  readonly responseBytes: number;
  readonly concurrency: number;
  readonly perSubscription: number;
  readonly pauseAfterMs: number;
  readonly pollMs: number;
  readonly subscriptionsPerTenant: number;

  constructor(config: WebhooksConfig) {
    this.retry = { delaysMs: config.retryDelaysMs, jitter: config.jitter };
    this.timeoutMs = config.timeoutMs;
    this.responseBytes = config.responseBytes;
    this.concurrency = config.concurrency;
    this.perSubscription = config.perSubscription;
    this.pauseAfterMs = config.pauseAfterMs;
    this.pollMs = config.pollMs;
    this.subscriptionsPerTenant = config.subscriptionsPerTenant;
  }
}
