import { EnumField, IntegerField, JsonObjectField, ObjectField, ObjectListField, PageQuery, PageView, StringField } from '#http';
import { invalidContent } from '#kernel';
import { DATE_FORMS, type ImportMapping, READ_AS } from './import-mapping.js';
import type { SavedMapping } from './mappings.queries.js';

const POINTER = /^\/.{1,500}$/;

export class ImportColumnBody {
  @StringField({ description: 'Header of the column', maxLength: 200 })
  column: string;

  @StringField({ description: 'Its letter, where two columns have the same header', optional: true, pattern: /^[A-Z]{1,3}$/ })
  letter?: string;

  @StringField({ description: 'Pointer (RFC 6901) into the body of `POST /events/prepare`', pattern: POINTER })
  to: string;

  @EnumField(READ_AS, { description: 'How its cells are read' })
  as: (typeof READ_AS)[number];

  @EnumField(['.', ','], { description: 'Decimal sign of texts', optional: true })
  decimal?: '.' | ',';

  @EnumField(DATE_FORMS, { description: 'Form of texts that are dates', optional: true })
  dateForm?: (typeof DATE_FORMS)[number];

  @StringField({ description: 'Offset of times that have none', optional: true, pattern: /^(Z|[+-]\d{2}:\d{2})$/ })
  offset?: string;

  @StringField({ description: 'Time of day of instants that are days', optional: true, pattern: /^([01]\d|2[0-3]):[0-5]\d$/ })
  time?: string;

  @StringField({ description: 'Unit (UNECE Rec 20) of quantities that have none', optional: true, maxLength: 10 })
  unit?: string;

  @JsonObjectField({ description: 'What the texts of the column mean; others are refused', optional: true })
  lookup?: Record<string, string | number | boolean>;
}

export class ImportGroupBody {
  @StringField({ description: 'Header of the column', maxLength: 200 })
  column: string;

  @StringField({ description: 'Its letter, where two columns have the same header', optional: true, pattern: /^[A-Z]{1,3}$/ })
  letter?: string;
}

export class ImportConstantBody {
  @StringField({ description: 'Pointer into the body of `POST /events/prepare`', pattern: POINTER })
  to: string;

  @JsonObjectField({ description: '`{ "is": … }`: a text, a number or a boolean' })
  value: { readonly is?: unknown };
}

export class ImportMappingBody {
  @StringField({ description: 'Process that the rows record', maxLength: 100 })
  processType: string;

  @StringField({ description: 'Name of the worksheet; the first one by default', optional: true, maxLength: 100 })
  sheet?: string;

  @StringField({ description: 'Separator of a CSV file; found by default', optional: true, minLength: 1, maxLength: 1 })
  separator?: string;

  @IntegerField({ description: 'Row of the headers; the first one that is not empty by default', optional: true, min: 1, max: 1_000 })
  headerRow?: number;

  @ObjectField(() => ImportGroupBody, {
    description: 'Rows with the same text in this column are one event. They follow each other; without it each row is an event',
    optional: true,
  })
  groupBy?: ImportGroupBody;

  @ObjectListField(() => ImportColumnBody, { description: 'Columns that say something', minItems: 1, maxItems: 500 })
  columns: ImportColumnBody[];

  @ObjectListField(() => ImportConstantBody, { description: 'Values of every event', optional: true, maxItems: 100 })
  constants?: ImportConstantBody[];
}

export class KeepMappingBody {
  @StringField({ description: 'Name', minLength: 1, maxLength: 100 })
  name: string;

  @StringField({ description: 'Whose files it reads', optional: true, maxLength: 100, default: '' })
  partner: string = '';

  @ObjectField(() => ImportMappingBody, { description: 'The mapping' })
  mapping: ImportMappingBody;
}

export class MappingsQuery extends PageQuery {
  @StringField({ description: 'Name', optional: true, maxLength: 100 })
  name?: string;

  @StringField({ description: 'Partner', optional: true, maxLength: 100 })
  partner?: string;
}

/** Bytes of JSON: imports and their lists have a copy. */
const MOST_BYTES = 64 * 1024;

/** @throws DomainError 422 `invalid_content` for one that is too large */
export function mappingOf({ constants = [], ...body }: ImportMappingBody): ImportMapping {
  if (Buffer.byteLength(JSON.stringify({ ...body, constants })) > MOST_BYTES)
    throw invalidContent([{ pointer: '/mapping', code: 'too_large', message: `A mapping has at most ${MOST_BYTES / 1024} KiB of JSON.` }]);
  return {
    ...body,
    columns: body.columns,
    constants: constants.map(({ to, value }) => ({ to, value: value.is as string | number | boolean })),
  };
}

export class SavedMappingView {
  @StringField({ description: 'This version', format: 'uuid' })
  id: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringField({ description: 'Whose files it reads; empty for anybody’s' })
  partner: string;

  @IntegerField({ description: 'Version, from 1' })
  version: number;

  @JsonObjectField({ description: 'The mapping' })
  mapping: object;

  @StringField({ description: 'User or API key' })
  createdBy: string;

  @StringField({ description: 'When', format: 'date-time' })
  createdAt: string;
}

export class SavedMappingPageView extends PageView {
  @ObjectListField(() => SavedMappingView, { description: 'By partner and name, the newest version first' })
  data: readonly SavedMappingView[];
}

export const mappingView = ({ constants = [], ...mapping }: ImportMapping): object => ({
  ...mapping,
  constants: constants.map(({ to, value }) => ({ to, value: { is: value } })),
});

export const savedMappingView = ({ createdAt, mapping, ...one }: SavedMapping): SavedMappingView => ({
  ...one,
  mapping: mappingView(mapping),
  createdAt: createdAt.toISOString(),
});
