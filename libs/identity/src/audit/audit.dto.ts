import { EnumField, JsonObjectField, ObjectListField, PageQuery, PageView, StringField } from '#http';
import { AUDIT_ACTIONS, AUDIT_ACTOR_KINDS } from './audit.js';
import type { AuditRow } from './audit.queries.js';

export class AuditQuery extends PageQuery {
  @EnumField(AUDIT_ACTIONS, { description: 'What happened', optional: true })
  action?: string;

  @StringField({ description: 'Who did it', optional: true, maxLength: 64 })
  actorId?: string;

  @StringField({ description: 'Id of the changed object', optional: true, maxLength: 64 })
  subject?: string;

  @StringField({ description: 'From this ISO 8601 time', optional: true, maxLength: 40 })
  from?: string;

  @StringField({ description: 'Before this ISO 8601 time', optional: true, maxLength: 40 })
  to?: string;
}

export class AuditView {
  @StringField({ description: 'Entry id' })
  id: string;

  @StringField({ description: 'When', format: 'date-time' })
  at: string;

  @EnumField(AUDIT_ACTIONS, { description: 'What happened' })
  action: string;

  @EnumField(AUDIT_ACTOR_KINDS, { description: 'Kind of actor' })
  actorKind: string;

  @StringField({ description: 'Who did it', nullable: true })
  actorId: string | null;

  @StringField({ description: 'Id of the changed object', nullable: true })
  subject: string | null;

  @JsonObjectField({ description: 'Details; never a secret' })
  details: Readonly<Record<string, unknown>>;
}

export class AuditPageView extends PageView {
  @ObjectListField(() => AuditView, { description: 'Items of the page' })
  data: readonly AuditView[];
}

export const auditView = ({ id, at, action, actorKind, actorId, subject, details }: AuditRow): AuditView => ({
  id,
  at: at.toISOString(),
  action,
  actorKind,
  actorId,
  subject,
  details,
});
