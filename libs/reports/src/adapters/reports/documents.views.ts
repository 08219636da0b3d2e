import { BooleanField, EnumField, IntegerField, JsonListField, JsonObjectField, NumberField, ObjectListField, StringField } from '#http';

export const STATUSES = ['valid', 'expiring', 'expired', 'undated'];
export const VERIFICATIONS = ['verified', 'mismatch', 'unresolved', 'not_checked'];
/** More uses of a document, or more missing ones, are counted and not listed. */
export const MOST_USES = 100;
export const MOST_MISSING = 1000;
export const EXPIRING_WITHIN_DAYS = 30;

class UseView {
  @StringField({ description: 'An event that refers to it' })
  eventId: string;

  @StringField({ description: 'Its process', nullable: true })
  processType: string | null;

  @JsonListField({ description: 'Lots of the event', items: { type: 'integer' } })
  tokenIds: readonly number[];

  @JsonListField({ description: 'Their codes', items: { type: 'string' } })
  tlcs: readonly string[];
}

export class DocumentView {
  @StringField({ description: 'sha-256 of `type|number|issuer`, lower-case hex' })
  documentKey: string;

  @StringField({ description: 'As the events say', nullable: true })
  type: string | null;

  @StringField({ description: 'Its number', nullable: true })
  number: string | null;

  @StringField({ description: 'Who issued it', nullable: true })
  issuer: string | null;

  @StringField({ description: 'First day', nullable: true })
  validFrom: string | null;

  @StringField({ description: 'Last day, the latest that an event says', nullable: true })
  validTo: string | null;

  @EnumField(STATUSES, { description: `Today (UTC); expiring within ${EXPIRING_WITHIN_DAYS} days` })
  status: string;

  @StringField({ description: 'Content identifier', nullable: true })
  cid: string | null;

  @StringField({ description: 'Where it is', nullable: true })
  url: string | null;

  @StringField({ description: 'Hash of the file, lower-case hex', nullable: true })
  sha256: string | null;

  @StringField({ description: '`public`, `restricted` or `authority`', nullable: true })
  visibility: string | null;

  @EnumField(VERIFICATIONS, { description: 'Whether the file is what its hash says, at the last check of data references' })
  verification: string;

  @BooleanField({ description: 'Events give different hashes for this type and number' })
  conflict: boolean;

  @IntegerField({ description: 'Events that refer to it' })
  uses: number;

  @ObjectListField(() => UseView, { description: `The newest ${MOST_USES} of them` })
  usedBy: readonly UseView[];
}

export class MissingView {
  @StringField({ description: 'An event without a document that its process requires' })
  eventId: string;

  @StringField({ description: 'Its process' })
  processType: string;

  @StringField({ description: 'Type of the document' })
  type: string;
}

export class DocumentsSummaryView {
  @IntegerField({ description: 'Different documents' })
  documents: number;

  @JsonObjectField({ description: 'By type', example: { BILL_OF_LADING: 1 } })
  byType: Readonly<Record<string, number>>;

  @JsonObjectField({ description: 'By status', example: { undated: 2, valid: 1 } })
  byStatus: Readonly<Record<string, number>>;

  @IntegerField({ description: 'Documents whose events give different hashes' })
  conflicts: number;

  @IntegerField({ description: 'Documents that processes require of their events' })
  required: number;

  @IntegerField({ description: 'Of those, present' })
  present: number;

  @IntegerField({ description: 'Of those, absent; `missing` lists them' })
  missing: number;

  @NumberField({ description: 'present / required; null where nothing is required', nullable: true })
  coverage: number | null;

  @BooleanField({ description: `There are more than the ${MOST_MISSING} that \`missing\` lists` })
  missingTruncated: boolean;
}
