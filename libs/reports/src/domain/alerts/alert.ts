import { createHash } from 'node:crypto';

/** domain-decisions §6.1; the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const ALERT_TYPES = [
  'LOT_EXPIRED',
  'LOT_EXPIRING',
  'RECALLED_IN_STOCK',
  'RECALL_AFFECTED_LIVE',
  'CUSTODY_PENDING',
  'MASS_BALANCE',
  'OVER_CONSUMPTION',
  'YIELD_OUTLIER',
  'KDE_MISSING',
  'EVENT_LATE',
  'EVENT_ORDER',
  'CID_UNRESOLVED',
  'CID_MISMATCH',
  'CHAIN_DRIFT',
  'TX_STUCK',
  'TX_FAILED',
  'EVENT_UNSUBMITTED',
  'DOCUMENT_EXPIRED',
  'DOCUMENT_MISSING',
  'FOOTPRINT_GAP',
  'CLAIM_BREACH',
  'POLICY_BREACH',
  'WEBHOOK_FAILING',
  'GEO_QUALITY',
] as const;
export type AlertType = (typeof ALERT_TYPES)[number];

export const SUBJECT_KINDS = ['lot', 'event', 'transfer', 'transaction', 'subscription', 'pointer'] as const;

/** What an alert is about. `id` is the token id of a lot, else the id of the thing. */
export interface Subject {
  readonly kind: (typeof SUBJECT_KINDS)[number];
  readonly id: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
}

/** What a rule says of its subject now. When it was seen first, and who took note of it, is kept beside it. */
export interface Finding {
  readonly type: AlertType;
  readonly severity: Severity;
  readonly subject: Subject;
  /** Tells several findings of one rule about one subject apart; empty where there is only one. */
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  /** The figures that led to it. Units stand in their names. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** The limits that were passed, from the process map or the tenant's settings. */
  readonly threshold: Readonly<Record<string, unknown>>;
  /** What insights count together: an asset type or a process by its name; empty where there is none. */
  readonly group: string;
  /** Of an event: only who reaches the process reads about it. */
  readonly processType?: string | null;
  /** Organisations whose business it is: an ADMIN reads those of its own. */
  readonly orgIds: readonly string[];
}

/** Stable: the same rule about the same thing has the same id, in every run and after a reindex. */
export const alertId = ({ type, subject, key }: Pick<Finding, 'type' | 'subject' | 'key'>): string =>
  createHash('sha256').update(`${type}|${subject.kind}:${subject.id}|${key}`).digest('hex').slice(0, 16);

export const lotSubject = (lot: { readonly tokenId: bigint; readonly tlc: string }): Subject => ({
  kind: 'lot',
  id: String(lot.tokenId),
  tokenId: Number(lot.tokenId),
  tlc: lot.tlc,
});

export const eventSubject = (event: { readonly id: string; readonly outputTlc: string | null }): Subject => ({
  kind: 'event',
  id: event.id,
  tokenId: null,
  tlc: event.outputTlc,
});
