import { BooleanField, EnumField, IntegerField, JsonObjectField, NumberField, ObjectField, StringField, StringListField } from '#http';
import { ApiProperty } from '@nestjs/swagger';
import type { StoredAlert } from './alerts.queries.js';
import { ALERT_TYPES, SEVERITIES, SUBJECT_KINDS } from './rules/rule.js';
import { textsOf } from './rules/catalogue.js';
import { MAX_EXAMPLES } from './rules/insights.rules.js';
import { LIMITS, LIMIT_NAMES } from './rules/thresholds.js';

class SubjectView {
  @EnumField(SUBJECT_KINDS, { description: 'Subject of the alert' })
  kind: string;

  @StringField({ description: 'Token id of a lot, else the id of the subject' })
  id: string;

  @IntegerField({ description: 'Token id of the lot', nullable: true })
  tokenId: number | null;

  @StringField({ description: 'Code of the lot', nullable: true })
  tlc: string | null;
}

class AcknowledgedView {
  @StringField({ description: 'Time of the acknowledgement', format: 'date-time' })
  at: string;

  @StringField({ description: 'User or API key' })
  by: string;

  @StringField({ description: 'Note', nullable: true })
  note: string | null;
}

export class AlertView {
  @StringField({ description: 'Stable: the same rule about the same subject has the same id', example: '9f1c0a527a314c84' })
  id: string;

  @EnumField(ALERT_TYPES, { description: 'Rule' })
  type: string;

  @EnumField(SEVERITIES, { description: 'Severity' })
  severity: string;

  @StringField({ description: 'The problem in one line' })
  title: string;

  @StringField({ description: 'The problem with its figures' })
  detail: string;

  @ObjectField(() => SubjectView, { description: 'Subject of the alert' })
  subject: SubjectView;

  @JsonObjectField({ description: 'Figures behind the alert' })
  evidence: object;

  @JsonObjectField({ description: 'Limits that were exceeded' })
  threshold: object;

  @StringField({ description: 'Open since', format: 'date-time' })
  detectedAt: string;

  @StringField({ description: 'First detection', format: 'date-time' })
  firstSeenAt: string;

  @StringField({ description: 'Time of the resolution; null = open', format: 'date-time', nullable: true })
  resolvedAt: string | null;

  @ObjectField(() => AcknowledgedView, { description: 'Acknowledgement; null = none', nullable: true })
  acknowledged: AcknowledgedView | null;

  @StringField({ description: 'Muted until', format: 'date-time', nullable: true })
  mutedUntil: string | null;

  @StringField({ description: 'What to do' })
  recommendation: string;

  @StringField({ description: 'The regulation or standard behind the rule', nullable: true })
  reference: string | null;
}

export function alertView(alert: StoredAlert): AlertView {
  const { recommendation, reference } = textsOf(alert.type);
  return {
    id: alert.id,
    type: alert.type,
    severity: alert.severity,
    title: alert.title,
    detail: alert.detail,
    subject: { kind: alert.subjectKind, id: alert.subjectId, tokenId: alert.tokenId, tlc: alert.tlc },
    evidence: alert.evidence,
    threshold: alert.threshold,
    detectedAt: alert.detectedAt.toISOString(),
    firstSeenAt: alert.firstSeenAt.toISOString(),
    resolvedAt: alert.resolvedAt?.toISOString() ?? null,
    acknowledged: alert.acknowledgedAt && {
      at: alert.acknowledgedAt.toISOString(),
      by: alert.acknowledgedBy!,
      note: alert.acknowledgedNote,
    },
    mutedUntil: alert.mutedUntil?.toISOString() ?? null,
    recommendation,
    reference,
  };
}

class BySeverityView {
  @IntegerField({ description: 'Act now' })
  critical: number;

  @IntegerField({ description: 'Act today' })
  high: number;

  @IntegerField({ description: 'Look into it' })
  medium: number;

  @IntegerField({ description: 'Know it' })
  low: number;
}

export class AlertsSummaryView {
  @IntegerField({ description: 'Alerts, without muted ones' })
  total: number;

  @ObjectField(() => BySeverityView, { description: 'By severity' })
  bySeverity: BySeverityView;

  @JsonObjectField({ description: 'Counts by `type`; a type without alerts is absent' })
  byType: object;

  @NumberField({ description: '100 without alerts; the same alerts weigh less in a larger stock' })
  healthScore: number;

  @IntegerField({ description: 'Active lots that the score is weighed by' })
  activeLots: number;

  @IntegerField({ description: 'Acknowledged alerts' })
  acknowledged: number;

  @StringField({ description: 'Time of the last evaluation; null = none yet', format: 'date-time', nullable: true })
  evaluatedAt: string | null;

  @IntegerField({ description: 'Block of the last evaluation', nullable: true })
  evaluatedBlock: number | null;

  @BooleanField({ description: 'False while older data is still to be evaluated' })
  complete: boolean;
}

export class InsightView {
  @StringField({ description: 'Stable id' })
  id: string;

  @EnumField(SEVERITIES, { description: 'Highest severity of its alerts' })
  severity: string;

  @StringField({ description: 'The common problem of the alerts' })
  headline: string;

  @StringField({ description: 'Open since, and what to do' })
  narrative: string;

  @StringListField({ description: `Some of its alerts, the most severe first; ${MAX_EXAMPLES} at most` })
  relatedAlertIds: readonly string[];
}

class NarrationView {
  @StringField({ description: 'Written by a language model from the counts alone' })
  text: string;

  @StringField({ description: 'Name of the model' })
  model: string;

  @StringField({ description: 'Time of the narration', format: 'date-time' })
  writtenAt: string;
}

export class EngineView {
  @EnumField(['rules'], { description: 'Alerts and insights come from rules' })
  kind: 'rules';

  @StringField({ description: 'Version of the rules', example: '1' })
  version: string;

  @ObjectField(() => NarrationView, { description: 'Null without a model, or for a part of the alerts', nullable: true })
  narration: NarrationView | null;
}

export class AcknowledgeBody {
  @StringField({ description: 'Reason, or what is being done', optional: true, maxLength: 500 })
  note?: string;

  @StringField({ description: 'Mute until this time: neither listed nor counted (ISO 8601 with an offset)', optional: true, maxLength: 40 })
  muteUntil?: string;
}

/** The limits by name, for the OpenAPI document. */
const LIMITS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    LIMIT_NAMES.map((name) => {
      const { default: usual, min, max, sentence } = LIMITS[name];
      return [name, { type: 'number' as const, minimum: min, maximum: max, default: usual, description: sentence }];
    }),
  ),
} as const;

export class AlertLimitsView {
  @ApiProperty({ ...LIMITS_SCHEMA, description: 'Limits in force; a process map may override them' })
  limits: Readonly<Record<string, number>>;

  @ApiProperty({ ...LIMITS_SCHEMA, description: 'Limits that the tenant set' })
  own: Readonly<Record<string, number>>;
}

export class AlertLimitsBody {
  @JsonObjectField({ description: 'Limits by name; null restores the default, absent limits stay' })
  limits: Readonly<Record<string, unknown>>;
}
