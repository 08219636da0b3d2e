import { chainPersistence } from '#chain';
import { contentPersistence } from '#content-storage';
import { custodyPersistence, custodyTopics } from '#custody';
import { documentsPersistence } from '#documents';
import { httpPersistence } from '#http';
import { identityPersistence } from '#identity';
import { interchangePersistence, interchangeTopics } from '#interchange';
import { passportsPersistence } from '#passports';
import { type ContextPersistence, type RetentionRule, persistenceRetention } from '#persistence';
import { keysPersistence } from '#sealed-contents';
import { recallPersistence, recallTopics } from '#recall';
import { reportingPersistence } from '#reporting';
import { traceabilityPersistence, traceabilityTopics } from '#traceability';
import { transactionsPersistence, transactionsTopics } from '#transactions';
import { webhooksPersistence } from '#webhooks';
import type { TopicDescription } from '#kernel';

/** All libraries that have tables. */
export const contexts: readonly ContextPersistence[] = [
  chainPersistence,
  contentPersistence,
  keysPersistence,
  httpPersistence,
  identityPersistence,
  traceabilityPersistence,
  documentsPersistence,
  custodyPersistence,
  recallPersistence,
  interchangePersistence,
  passportsPersistence,
  transactionsPersistence,
  webhooksPersistence,
  reportingPersistence,
];

/** What is deleted after its time, in this order: what others refer to comes later. */
export const retentionRules: readonly RetentionRule[] = [...contexts.flatMap(({ retention = [] }) => retention), ...persistenceRetention];

/** The topics of all contexts, in the order of the catalogue. Webhooks adds its own. */
export const topics: readonly TopicDescription[] = [
  ...traceabilityTopics,
  ...recallTopics,
  ...custodyTopics,
  ...transactionsTopics,
  ...interchangeTopics,
];
