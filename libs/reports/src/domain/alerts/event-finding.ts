import { type AlertType, type Finding, type Severity, eventSubject } from './alert.js';
import type { EventFacts } from './facts.js';

type Said = Pick<Finding, 'title' | 'detail' | 'evidence' | 'threshold'> & { readonly key?: string };

/** What all findings about an event share. */
export const aboutEvent = (type: AlertType, severity: Severity, event: EventFacts, said: Said): Finding => ({
  type,
  severity,
  subject: eventSubject(event),
  key: '',
  group: nameOf(event),
  processType: event.processType,
  orgIds: event.orgIds,
  ...said,
});

export const nameOf = (event: Pick<EventFacts, 'processLabel' | 'processType'>): string => event.processLabel ?? event.processType ?? '';

/** "Mill paddy (RM-20260920-01)", as people would call it. */
export const calling = (event: Pick<EventFacts, 'processLabel' | 'processType' | 'outputTlc' | 'id'>): string =>
  `${nameOf(event) || 'An event'} (${event.outputTlc ?? event.id})`;
