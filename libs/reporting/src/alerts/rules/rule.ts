import { createHash } from 'node:crypto';
import type { Thresholds } from './thresholds.js';

/** docs/spec/domain.md#alerts; the most severe first. */
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
  'CONTENT_EXPOSED',
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

/** What an alert is about. `id` is the token id of a lot, else the id of the subject. */
interface Subject {
  readonly kind: (typeof SUBJECT_KINDS)[number];
  readonly id: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
}

/** What a rule found about its subject. The stored alert adds when it was first seen and who acknowledged it. */
export interface Finding {
  readonly type: AlertType;
  readonly severity: Severity;
  readonly subject: Subject;
  /** Distinguishes several findings of one rule about one subject; empty for a single one. */
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  /** The figures behind the finding. Their names carry the unit. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** The limits that were exceeded, from the process map or the tenant's settings. */
  readonly threshold: Readonly<Record<string, unknown>>;
  /** Insights count alerts of one group together: an asset type or a process by its name; empty without one. */
  readonly group: string;
  /** Of an event: only callers with access to the process read the alert. */
  readonly processType?: string | null;
  /** Organisations concerned: an ADMIN reads the alerts of its own organisation. */
  readonly orgIds: readonly string[];
}

/** Stable: the same rule about the same subject has the same id, in every run and after a reindex. */
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

/** One row of the table of docs/spec/domain.md#alerts: what is wrong, how severe it is, what to do about it. */
export interface Rule<Facts> {
  readonly type: AlertType;
  readonly recommendation: string;
  /** The regulation or standard behind the rule; null for good practice. */
  readonly reference: string | null;
  /** What an insight says about many alerts of this type. @param group as in the findings; empty without one */
  headline(count: number, group: string): string;
  judge(facts: Facts, context: RuleContext): readonly Finding[];
}

/** What every rule may use in addition to the facts of its subject. */
export interface RuleContext {
  readonly now: Date;
  readonly thresholds: Thresholds;
  /** Others than the service may read the content store. */
  readonly storeIsShared: boolean;
  /** By `name@version`; the bare name gives the newest version. */
  readonly maps: ReadonlyMap<string, MapRules>;
}

/** What alerts use of one version of a published process map. Null where the map leaves it to the tenant. */
export interface MapRules {
  readonly chainOfCustody: string;
  readonly lateAfterSeconds: number | null;
  readonly custodyAcceptWithinSeconds: number | null;
  readonly expiringSoonWithinSeconds: number | null;
  readonly assetTypes: ReadonlyMap<string, { readonly name: string; readonly category: string; readonly massPerUnitKg: number | null }>;
  readonly processes: ReadonlyMap<string, ProcessRules>;
}

/** What alerts use of one process of a published map. */
export interface ProcessRules {
  readonly label: string;
  readonly kdes: readonly KeyDataElement[];
  readonly requiredDocuments: readonly string[];
}

interface KeyDataElement {
  /** Where it is; of a choice, all places with "or". */
  readonly path: string;
  readonly oneOf?: readonly string[];
  readonly name: string;
  readonly level: 'required' | 'recommended' | 'optional';
  readonly ref: string | null;
}

/** The map version that a lot or event was made under, else the newest version of that map. */
export function mapOf({ maps }: RuleContext, of: { readonly mapName: string | null; readonly mapVersion: string | null }): MapRules | null {
  if (of.mapName === null) return null;
  return maps.get(`${of.mapName}@${of.mapVersion}`) ?? maps.get(of.mapName) ?? null;
}

/** Time limits follow the newest map: a stricter limit applies to existing lots at once. */
export const newestMap = ({ maps }: RuleContext, name: string | null): MapRules | null => (name === null ? null : (maps.get(name) ?? null));
