import { SEALED_CLASSES } from '#envelope';
import { BooleanField, EnumField, IntegerField, ObjectField, ObjectListField, StringField, StringListField } from '#http';
import type { FoundCopies } from '#persistence';
import type { ErasureReceipt } from './erase-values.js';
import type { HeldOfSubject, SubjectEvent } from './find-subject.js';

const SUBJECT = { minLength: 3, maxLength: 200 } as const;

export class ErasureBody {
  @StringField({
    description: 'The event, with what corrects it and what it corrects; then `pointers` or `classes`',
    format: 'uuid',
    optional: true,
  })
  eventId?: string;

  @StringListField({
    description: 'Pointers (RFC 6901) into its content, such as `/metadata/harvester`; children included',
    each: /^\/.{1,500}$/,
    minItems: 1,
    maxItems: 100,
    optional: true,
  })
  pointers?: string[];

  @StringListField({
    description: 'Classes, each as a whole',
    enum: SEALED_CLASSES,
    minItems: 1,
    maxItems: SEALED_CLASSES.length,
    optional: true,
  })
  classes?: string[];

  @StringField({
    description: 'A name, phone number or address of a person: all that is held of them; then no `eventId`',
    ...SUBJECT,
    optional: true,
  })
  subject?: string;
}

export class SubjectBody {
  @StringField({
    description: 'A name, phone number or address of the person: in any case, a number however its digits are grouped',
    ...SUBJECT,
  })
  value: string;
}

class LeftView {
  @StringField({ description: 'The event', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'The value; empty: the whole content' })
  pointer: string;

  @EnumField(['not_separable', 'not_erasable', 'needed_for_record', 'nothing_sealed'], { description: 'Why it stays' })
  code: string;

  @StringField({ description: 'One sentence' })
  message: string;
}

class CopiesView {
  @StringField({ description: 'Table of the service' })
  table: string;

  @IntegerField({ description: 'Rows' })
  rows: number;
}

class BeyondReachView {
  @IntegerField({ description: 'How often disclosures with values of persons were given away' })
  disclosures: number;

  @IntegerField({ description: 'Messages to receivers of webhooks that had a value in them' })
  deliveries: number;
}

export class ErasureView {
  @StringField({ description: 'The receipt', format: 'uuid' })
  id: string;

  @StringField({ description: 'When', format: 'date-time' })
  erasedAt: string;

  @IntegerField({ description: 'Events of which values were erased' })
  events: number;

  @IntegerField({ description: 'Values that were erased; none where all were erased before' })
  values: number;

  @IntegerField({ description: 'Notes of offers, retirements, error declarations and other calls that were erased, each as a whole' })
  notes: number;

  @StringField({ description: 'Until then a backup of before has the keys; a restore of it erases the values again', format: 'date-time' })
  backupsUntil: string;

  @ObjectField(() => BeyondReachView, {
    description: 'What was given away before, and nobody can take back. Files of exports are not counted',
  })
  beyondReach: BeyondReachView;

  @ObjectListField(() => LeftView, { description: 'Of a person: values that name them and stay' })
  left: LeftView[];

  @ObjectListField(() => CopiesView, {
    description:
      'Of a person: rows that name them and stay: notices of recalls, which the law asks for; named queries and links, which you change',
  })
  kept: CopiesView[];
}

class SubjectValueView {
  @StringField({ description: 'Its place in the content' })
  pointer: string;

  @EnumField(['public', ...SEALED_CLASSES], { description: 'Who may read it' })
  class: string;

  @BooleanField({ description: 'It says the name, number or address; otherwise it is in the same object' })
  names: boolean;

  @BooleanField({ description: 'Whether an erasure of this person takes it' })
  erasable: boolean;
}

class SubjectEventHead {
  @StringField({ description: 'The event', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'Key in the process map', nullable: true })
  processType: string | null;

  @StringField({ description: 'When it happened', format: 'date-time', nullable: true })
  eventTime: string | null;

  @StringField({ description: 'Status of the event' })
  status: string;

  @StringListField({ description: 'Other values of persons in the event: look whether they are of this one' })
  others: string[];

  @IntegerField({ description: 'How often disclosures with values of persons were given away' })
  disclosed: number;
}

class SubjectEventView extends SubjectEventHead {
  @ObjectListField(() => SubjectValueView, { description: 'What is held of the person' })
  values: SubjectValueView[];
}

class SubjectDataHead {
  @BooleanField({ description: 'False: there are more events than one answer lists' })
  complete: boolean;

  @ObjectListField(() => CopiesView, { description: 'Other rows of the service that say the same' })
  copies: CopiesView[];
}

export class SubjectDataView extends SubjectDataHead {
  @ObjectListField(() => SubjectEventView, { description: 'Events that name the person' })
  events: SubjectEventView[];
}

class ExportedValueView extends SubjectValueView {
  @StringField({ description: 'The value; one that is no text, as JSON' })
  value: string;
}

class ExportedEventView extends SubjectEventHead {
  @ObjectListField(() => ExportedValueView, { description: 'What is held of the person' })
  values: ExportedValueView[];
}

export class SubjectExportView extends SubjectDataHead {
  @ObjectListField(() => ExportedEventView, { description: 'Events that name the person, with the values' })
  events: ExportedEventView[];
}

const copiesView = (copies: readonly FoundCopies[]): CopiesView[] => copies.map(({ table, rows }) => ({ table, rows }));

export const erasureView = ({
  id,
  erasedAt,
  events,
  values,
  notes,
  backupsUntil,
  beyondReach,
  left,
  kept,
}: ErasureReceipt): ErasureView => ({
  ...{ id, erasedAt: erasedAt.toISOString(), events, values, notes, backupsUntil: backupsUntil.toISOString(), beyondReach },
  left: left.map(({ eventId, pointer, code, message }) => ({ eventId, pointer, code, message })),
  kept: kept.map(({ table, rows }) => ({ table, rows })),
});

const headOf = ({ eventId, processType, eventTime, status, others, disclosed }: SubjectEvent) => ({
  ...{ eventId, processType, eventTime: eventTime?.toISOString() ?? null, status, others: [...others], disclosed },
});

/** Without the values. */
export const subjectView = ({ events, complete, copies }: HeldOfSubject): SubjectDataView => ({
  events: events.map((event) => ({
    ...headOf(event),
    values: event.values.map(({ pointer, class: name, names, erasable }) => ({ pointer, class: name, names, erasable })),
  })),
  complete,
  copies: copiesView(copies),
});

export const subjectExportView = ({ events, complete, copies }: HeldOfSubject): SubjectExportView => ({
  events: events.map((event) => ({
    ...headOf(event),
    values: event.values.map(({ pointer, class: name, value, names, erasable }) => ({
      ...{ pointer, class: name, names, erasable },
      value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
  })),
  complete,
  copies: copiesView(copies),
});
