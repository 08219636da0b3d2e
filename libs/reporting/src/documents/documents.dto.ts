import { BooleanField, EnumField, IntegerField, JsonListField, JsonObjectField, NumberField, ObjectListField, StringField } from '#http';
import { EXPIRING_WITHIN_DAYS, MAX_MISSING, MAX_USES, STATUSES, VERIFICATIONS } from './document.rules.js';

class UseView {
  @StringField({ description: 'Event that refers to the document' })
  eventId: string;

  @StringField({ description: 'Process of the event', nullable: true })
  processType: string | null;

  @JsonListField({ description: 'Lots of the event', items: { type: 'integer' } })
  tokenIds: readonly number[];

  @JsonListField({ description: 'Codes of the lots', items: { type: 'string' } })
  tlcs: readonly string[];
}

export class DocumentView {
  @StringField({ description: 'sha-256 of `type|number|issuer`, lower-case hex' })
  documentKey: string;

  @StringField({ description: 'As stated by the events', nullable: true })
  type: string | null;

  @StringField({ description: 'Number', nullable: true })
  number: string | null;

  @StringField({ description: 'Issuer', nullable: true })
  issuer: string | null;

  @StringField({ description: 'First day', nullable: true })
  validFrom: string | null;

  @StringField({ description: 'Last day: the latest that an event states', nullable: true })
  validTo: string | null;

  @EnumField(STATUSES, { description: `As of today (UTC); expiring: within ${EXPIRING_WITHIN_DAYS} days` })
  status: string;

  @StringField({ description: 'Content identifier', nullable: true })
  cid: string | null;

  @StringField({ description: 'Address of the file', nullable: true })
  url: string | null;

  @StringField({ description: 'Hash of the file, lower-case hex', nullable: true })
  sha256: string | null;

  @StringField({ description: '`public`, `restricted` or `authority`', nullable: true })
  visibility: string | null;

  @EnumField(VERIFICATIONS, { description: 'Whether the file has the stated hash, by the last check of data references' })
  verification: string;

  @BooleanField({ description: 'Events state different hashes for this type and number' })
  conflict: boolean;

  @IntegerField({ description: 'Events that refer to it' })
  uses: number;

  @ObjectListField(() => UseView, { description: `The newest ${MAX_USES} uses` })
  usedBy: readonly UseView[];
}

export class MissingView {
  @StringField({ description: 'Event without a document that its process requires' })
  eventId: string;

  @StringField({ description: 'Process of the event' })
  processType: string;

  @StringField({ description: 'Type of the missing document' })
  type: string;
}

export class DocumentsSummaryView {
  @IntegerField({ description: 'Number of documents' })
  documents: number;

  @JsonObjectField({ description: 'Documents by type', example: { BILL_OF_LADING: 1 } })
  byType: Readonly<Record<string, number>>;

  @JsonObjectField({ description: 'Documents by status', example: { undated: 2, valid: 1 } })
  byStatus: Readonly<Record<string, number>>;

  @IntegerField({ description: 'Documents whose events state different hashes' })
  conflicts: number;

  @IntegerField({ description: 'Documents that processes require for their events' })
  required: number;

  @IntegerField({ description: 'Required documents that are present' })
  present: number;

  @IntegerField({ description: 'Required documents that are missing; see `missing`' })
  missing: number;

  @NumberField({ description: 'present / required; null if nothing is required', nullable: true })
  coverage: number | null;

  @BooleanField({ description: `There are more than the ${MAX_MISSING} in \`missing\`` })
  missingTruncated: boolean;
}
