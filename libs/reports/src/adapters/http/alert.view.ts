import { EnumField, IntegerField, JsonObjectField, ObjectField, StringField } from '#http';
import type { StandingAlert } from '../../alerts.ports.js';
import { ALERT_TYPES, SEVERITIES, SUBJECT_KINDS } from '../../domain/alerts/alert.js';
import { wordsOf } from '../../domain/alerts/catalogue.js';

class SubjectView {
  @EnumField(SUBJECT_KINDS, { description: 'What it is about' })
  kind: string;

  @StringField({ description: 'Token id of a lot, else the id of the thing' })
  id: string;

  @IntegerField({ description: 'Of the lot that it is about', nullable: true })
  tokenId: number | null;

  @StringField({ description: 'Code of that lot', nullable: true })
  tlc: string | null;
}

class AcknowledgedView {
  @StringField({ description: 'When', format: 'date-time' })
  at: string;

  @StringField({ description: 'User or API key' })
  by: string;

  @StringField({ description: 'What was said', nullable: true })
  note: string | null;
}

export class AlertView {
  @StringField({ description: 'Stable: the same rule about the same thing has the same id', example: '9f1c0a527a314c84' })
  id: string;

  @EnumField(ALERT_TYPES, { description: 'The rule' })
  type: string;

  @EnumField(SEVERITIES, { description: 'How bad it is' })
  severity: string;

  @StringField({ description: 'What is wrong, in a line' })
  title: string;

  @StringField({ description: 'What is wrong, with its figures' })
  detail: string;

  @ObjectField(() => SubjectView, { description: 'What it is about' })
  subject: SubjectView;

  @JsonObjectField({ description: 'The figures that led to it' })
  evidence: object;

  @JsonObjectField({ description: 'The limits that were passed' })
  threshold: object;

  @StringField({ description: 'Since when it stands, this time', format: 'date-time' })
  detectedAt: string;

  @StringField({ description: 'When it was seen for the first time', format: 'date-time' })
  firstSeenAt: string;

  @StringField({ description: 'Until when it stood; null = it stands', format: 'date-time', nullable: true })
  resolvedAt: string | null;

  @ObjectField(() => AcknowledgedView, { description: 'Who took note of it; null = nobody', nullable: true })
  acknowledged: AcknowledgedView | null;

  @StringField({ description: 'Silent until then', format: 'date-time', nullable: true })
  mutedUntil: string | null;

  @StringField({ description: 'What to do' })
  recommendation: string;

  @StringField({ description: 'The regulation or standard behind the rule', nullable: true })
  reference: string | null;
}

export function alertView(alert: StandingAlert): AlertView {
  const { recommendation, reference } = wordsOf(alert.type);
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
