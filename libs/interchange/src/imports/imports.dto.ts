import {
  BooleanField,
  EnumField,
  FileField,
  IntegerField,
  JsonListField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PageQuery,
  PageView,
  StringField,
  StringListField,
  type UploadedFile,
} from '#http';
import { PreparedEventView } from '#prepare';
import { ImportMappingBody, mappingView } from './import-mappings.dto.js';
import { IMPORT_FORMATS, IMPORT_STATES, IMPORT_TASKS, type ImportRecord, MAX_IMPORT_BYTES } from './import-run.js';
import type { ImportRow } from './imports.queries.js';

export class ImportBody {
  @FileField({
    description: 'CSV, XLSX, an X12 ship notice (856) or EPCIS in XML, of at most 50 MiB and 100,000 rows or events',
    maxBytes: MAX_IMPORT_BYTES,
  })
  file: UploadedFile;

  @StringField({ description: 'Process that the rows record; without it no mapping is proposed', optional: true, maxLength: 100 })
  processType?: string;

  @StringField({ description: 'Name of the worksheet; the first one by default', optional: true, maxLength: 100 })
  sheet?: string;

  @StringField({ description: 'Kept mapping: the rows are checked at once', optional: true, maxLength: 36 })
  mappingId?: string;
}

export class CheckImportBody {
  @StringField({ description: 'Kept mapping', optional: true, maxLength: 36 })
  mappingId?: string;

  @ObjectField(() => ImportMappingBody, { description: 'Mapping; or `mappingId`, or neither for the one of before', optional: true })
  mapping?: ImportMappingBody;
}

export class PrepareImportBody {
  @EnumField(['all', 'valid'], { description: 'all: refused while a row has a problem; valid: rows with problems are left out' })
  rows: 'all' | 'valid';

  @StringField({ description: 'EIP-55 address that will sign: one of your own; absent: your wallet', optional: true, maxLength: 42 })
  from?: string;
}

export class ImportsQuery extends PageQuery {}
export class ImportRowsQuery extends PageQuery {}

export class ImportCountsView {
  @IntegerField({ description: 'Rows with something in them, the header apart' })
  total: number;

  @IntegerField({ description: 'Rows that the current task has read' })
  done: number;

  @IntegerField({ description: 'Rows without a problem' })
  valid: number;

  @IntegerField({ description: 'Rows with a problem' })
  invalid: number;

  @IntegerField({ description: 'Rows whose event was prepared' })
  prepared: number;

  @IntegerField({ description: 'Rows whose event was prepared before, by this import or another' })
  repeated: number;
}

export class ImportView {
  @StringField({ description: 'The import', format: 'uuid' })
  id: string;

  @StringField({ description: 'Name of the file' })
  name: string;

  @IntegerField({ description: 'Bytes' })
  size: number;

  @EnumField(IMPORT_FORMATS, { description: 'What the file is; null before it was read', nullable: true })
  format: string | null;

  @EnumField(IMPORT_TASKS, { description: 'What is done, or was done last' })
  task: string;

  @EnumField(IMPORT_STATES, {
    description: '`waiting` and `running`: its job is queued, or runs. `proposed`, `checked`, `prepared`: it is done',
  })
  state: string;

  @StringField({ description: 'Process', nullable: true })
  processType: string | null;

  @ObjectField(() => ImportCountsView, { description: 'Rows' })
  rows: ImportCountsView;

  @JsonObjectField({
    description:
      '`{ headerRow, headers[], sheets[], separator, columns[], groupBy }`: columns like those of a mapping, each with `score` and `questions` that somebody has to answer; `groupBy` of a table of events that was exported here',
    nullable: true,
  })
  proposal: object | null;

  @JsonObjectField({ description: 'The mapping of the last check', nullable: true })
  mapping: object | null;

  @StringListField({ description: 'What to know of how the file was read' })
  remarks: string[];

  @JsonObjectField({ description: '`{ code, message }`: why it failed', nullable: true })
  failure: object | null;

  @BooleanField({ description: 'Whether somebody has cancelled it' })
  stopping: boolean;

  @StringField({ description: 'User or API key' })
  createdBy: string;

  @StringField({ description: 'When', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'When something changed last', format: 'date-time' })
  changedAt: string;
}

export class ImportPageView extends PageView {
  @ObjectListField(() => ImportView, { description: 'Newest first' })
  data: readonly ImportView[];
}

export class ImportProblemsView {
  @IntegerField({ description: 'Row, as a spreadsheet numbers it; of EPCIS the place of the event, from 1' })
  row: number;

  @JsonListField({
    description: '`column` is a letter; null where no cell is to blame. Of EPCIS, `header` is a pointer into the event',
    items: {
      type: 'object',
      required: ['column', 'header', 'code', 'message'],
      properties: {
        column: { type: ['string', 'null'] },
        header: { type: ['string', 'null'] },
        code: { type: 'string' },
        message: { type: 'string' },
      },
    },
  })
  problems: readonly object[];
}

export class ImportProblemPageView extends PageView {
  @ObjectListField(() => ImportProblemsView, { description: 'By row' })
  data: readonly ImportProblemsView[];
}

export class ImportedEventView {
  @IntegerField({ description: 'Row, as a spreadsheet numbers it; of EPCIS the place of the event, from 1' })
  row: number;

  @StringField({ description: 'The event', format: 'uuid' })
  eventId: string;

  @ObjectField(() => PreparedEventView, {
    description: 'What was prepared, to sign; null where another import has prepared it',
    nullable: true,
  })
  event: PreparedEventView | null;
}

export class ImportedEventPageView extends PageView {
  @ObjectListField(() => ImportedEventView, { description: 'By row' })
  data: readonly ImportedEventView[];
}

export const importView = ({ counts, createdAt, changedAt, mapping, ...one }: ImportRecord): ImportView => ({
  ...{ id: one.id, name: one.name, size: one.size, format: one.format, task: one.task, state: one.state, processType: one.processType },
  ...{ proposal: one.proposal, failure: one.failure, stopping: one.stopping, createdBy: one.createdBy },
  remarks: [...one.remarks],
  rows: counts,
  mapping: mapping && mappingView(mapping),
  createdAt: createdAt.toISOString(),
  changedAt: changedAt.toISOString(),
});

export const problemsView = ({ row, problems }: ImportRow): ImportProblemsView => ({ row, problems });
export const importedView = ({ row, eventId, prepared }: ImportRow): ImportedEventView => ({
  row,
  eventId: eventId!,
  event: prepared as PreparedEventView | null,
});
