import type { Provider } from '@nestjs/common';
import { AlertBook, AlertCircumstances, AlertLimits, AlertRounds, AlertSources, Alerts, Narrator } from './alerts.ports.js';
import { ListedAlertSources, alertSources } from './adapters/persistence/alert-sources.js';
import { SqlAlertBook } from './adapters/persistence/sql-alert-book.js';
import { SqlAlertCircumstances } from './adapters/persistence/sql-alert-circumstances.js';
import { SqlAlertLimits } from './adapters/persistence/sql-alert-limits.js';
import { SqlAlertRounds } from './adapters/persistence/sql-alert-rounds.js';
import { SqlAlerts } from './adapters/persistence/sql-alerts.js';
import { ModelNarrator } from './adapters/outbound/model-narrator.js';
import { AlertPatrol } from './adapters/queue/alert-patrol.js';
import { AlertRetention } from './adapters/queue/alert-retention.js';
import { AcknowledgeAlert } from './application/acknowledge-alert.js';
import { EvaluateAlerts } from './application/evaluate-alerts.js';
import { NarrateAlerts } from './application/narrate-alerts.js';
import { SetAlertLimits } from './application/set-alert-limits.js';

/** To read alerts and take note of them. */
export const alertProviders: readonly Provider[] = [
  AcknowledgeAlert,
  SetAlertLimits,
  { provide: Alerts, useClass: SqlAlerts },
  { provide: AlertLimits, useClass: SqlAlertLimits },
];

/** To find them. */
export const alertWorkerProviders: readonly Provider[] = [
  ...alertSources,
  { provide: AlertSources, useClass: ListedAlertSources },
  { provide: AlertCircumstances, useClass: SqlAlertCircumstances },
  { provide: AlertLimits, useClass: SqlAlertLimits },
  { provide: AlertBook, useClass: SqlAlertBook },
  { provide: AlertRounds, useClass: SqlAlertRounds },
  { provide: Alerts, useClass: SqlAlerts },
  { provide: Narrator, useClass: ModelNarrator },
  EvaluateAlerts,
  NarrateAlerts,
  AlertPatrol,
  AlertRetention,
];
