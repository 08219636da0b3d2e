import { chainPersistence } from '#chain';
import { contentPersistence } from '#content-storage';
import { custodyPersistence } from '#custody';
import { httpPersistence } from '#http';
import { identityPersistence } from '#identity';
import { interchangePersistence } from '#interchange';
import { passportsPersistence } from '#passports';
import type { ContextPersistence } from '#persistence';
import { recallPersistence } from '#recall';
import { reportsPersistence } from '#reports';
import { traceabilityPersistence } from '#traceability';
import { transactionsPersistence } from '#transactions';
import { webhooksPersistence } from '#webhooks';

/** Everything that has tables. */
export const contexts: readonly ContextPersistence[] = [
  chainPersistence,
  contentPersistence,
  httpPersistence,
  identityPersistence,
  traceabilityPersistence,
  custodyPersistence,
  recallPersistence,
  interchangePersistence,
  passportsPersistence,
  transactionsPersistence,
  webhooksPersistence,
  reportsPersistence,
];
