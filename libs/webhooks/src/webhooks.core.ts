import type { Provider } from '@nestjs/common';
import type { WebhooksConfig } from '#config';
import { UndiciClient } from './adapters/outbound/undici-client.js';
import { SqlDeliveries } from './adapters/persistence/sql-deliveries.js';
import { SqlSubscriptions } from './adapters/persistence/sql-subscriptions.js';
import { QueueWakeUp } from './adapters/queue/queue-wake-up.js';
import { SecretVault } from './application/secret-vault.js';
import { networksFrom } from './domain/address.js';
import { sealingKey } from './domain/sealed-secret.js';
import { type AttemptListener, Deliveries, DeliveryWakeUp, OutboundClient, Subscriptions, WebhookSettings } from './ports.js';

export interface WebhooksOptions {
  readonly webhooks: WebhooksConfig;
  /** 32 bytes; seals the subscriptions' secrets. */
  readonly encryptionKey: Buffer;
  /** Older keys, which only open. */
  readonly retiredEncryptionKeys?: readonly Buffer[];
  /** Hears of attempts; default nobody. */
  readonly listener?: AttemptListener;
}

/** What both roles need. `UnitOfWork`, `JobQueue` and `DatabaseNotifications` come from the engines' global modules, `Clock` from identity's. */
export const coreProviders = ({ webhooks, encryptionKey, retiredEncryptionKeys = [] }: WebhooksOptions): Provider[] => {
  const settings = settingsFrom(webhooks);
  return [
    { provide: WebhookSettings, useValue: settings },
    { provide: SecretVault, useValue: new SecretVault([sealingKey(encryptionKey), ...retiredEncryptionKeys.map(sealingKey)]) },
    { provide: Subscriptions, useValue: new SqlSubscriptions(settings.subscriptionsPerTenant) },
    { provide: Deliveries, useClass: SqlDeliveries },
    { provide: DeliveryWakeUp, useClass: QueueWakeUp },
    {
      provide: OutboundClient,
      useFactory: () =>
        new UndiciClient({
          networks: networksFrom(webhooks.allowedNetworks),
          timeoutMs: settings.timeoutMs,
          responseBytes: settings.responseBytes,
        }),
    },
  ];
};

const settingsFrom = (config: WebhooksConfig): WebhookSettings => ({
  retry: { delaysMs: config.retryDelaysMs, jitter: config.jitter },
  timeoutMs: config.timeoutMs,
  responseBytes: config.responseBytes,
  concurrency: config.concurrency,
  perSubscription: config.perSubscription,
  pauseAfterMs: config.pauseAfterMs,
  sweepMs: config.sweepMs,
  retentionMs: config.retentionMs,
  subscriptionsPerTenant: config.subscriptionsPerTenant,
});
