import { arrayParameter, type Item, type ItemType } from '#persistence';
import type { EntitySchemaColumnOptions, ValueTransformer } from 'typeorm';

/**
 * One line a column: the property of the domain class, its column and type. The mapping, the lists of the hand-written SQL
 * and the reading of rows all come from it, so that they cannot differ.
 */
export interface Column<Row> {
  readonly property: keyof Row & string;
  readonly name: string;
  readonly type: ColumnType;
  readonly key?: true;
  readonly nullable?: true;
}

/**
 * `token`: bigint column and bigint here; `block`: bigint column, number here; `micro`: millionths in a numeric column; `decimal`: numeric,
 * number or text here; `tokens` and `micros`: arrays of them; `json`: jsonb, any value here.
 */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'boolean'
  | 'smallint'
  | 'integer'
  | 'timestamptz'
  | 'token'
  | 'block'
  | 'micro'
  | 'decimal'
  | 'tokens'
  | 'micros'
  | 'json';

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  uuid: 'uuid',
  text: 'text',
  boolean: 'boolean',
  smallint: 'smallint',
  integer: 'integer',
  timestamptz: 'timestamptz',
  token: 'bigint',
  block: 'bigint',
  micro: 'numeric',
  decimal: 'numeric',
  tokens: 'bigint[]',
  micros: 'numeric[]',
  json: 'jsonb',
};

const READ: Readonly<Partial<Record<ColumnType, (stored: string) => unknown>>> = {
  token: BigInt,
  micro: BigInt,
  block: Number,
  decimal: Number,
};

export const sqlType = (column: { readonly type: ColumnType }): string => SQL_TYPES[column.type];

/** Property after property: what `fromEntries` makes is a dictionary, five times as slow to make and to copy as an object. */
export function readRow<Row>(columns: readonly Column<Row>[], stored: Readonly<Record<string, unknown>>): Row {
  const row: Record<string, unknown> = {};
  for (const { property, name, type } of columns) {
    const value = stored[name];
    const read = READ[type];
    row[property] = read && value !== null ? read(value as string) : value;
  }
  return row as Row;
}

/** How a column's values travel in an array: those without a simple binary form as text, cast where they arrive. */
const TRAVELS: Readonly<Partial<Record<ColumnType, { readonly as: ItemType; readonly of?: (value: never) => Item }>>> = {
  token: { as: 'bigint' },
  block: { as: 'bigint' },
  micro: { as: 'text' },
  decimal: { as: 'text' },
  tokens: { as: 'text', of: (values: readonly unknown[]) => `{${values.join(',')}}` },
  micros: { as: 'text', of: (values: readonly unknown[]) => `{${values.join(',')}}` },
  json: { as: 'jsonb', of: (value: unknown) => JSON.stringify(value) },
};

const itemType = (type: ColumnType): ItemType => TRAVELS[type]?.as ?? (type as ItemType);

/** The values of one column as the parameter of an `unnest`. */
export function columnParameter(type: ColumnType, values: readonly unknown[]): Buffer {
  const of = TRAVELS[type]?.of as ((value: unknown) => Item) | undefined;
  return arrayParameter(
    itemType(type),
    of ? values.map((value) => (value === null || value === undefined ? null : of(value))) : (values as readonly Item[]),
  );
}

export const columnParameters = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer[] =>
  columns.map(({ property, type }) =>
    columnParameter(
      type,
      rows.map((row) => row[property]),
    ),
  );

/** `select … from unnest($1::uuid[], …)`: the rows whose columns these parameters are. */
export function unnested(columns: readonly { readonly name: string; readonly type: ColumnType }[], from = 1): string {
  const values = columns.map(({ type }, i) => (itemType(type) === 'text' && type !== 'text' ? `u.c${i}::${SQL_TYPES[type]}` : `u.c${i}`));
  const arrays = columns.map(({ type }, i) => `$${from + i}::${itemType(type)}[]`);
  return `select ${values.join(', ')} from unnest(${arrays.join(', ')}) as u(${columns.map((_, i) => `c${i}`).join(', ')})`;
}

export function entityColumn<Row>(column: Column<Row>): EntitySchemaColumnOptions {
  const read = READ[column.type];
  const transformer: ValueTransformer | undefined = read && {
    to: (value?: bigint | number | null) => value?.toString() ?? value,
    from: (value: string | null) => (value === null ? null : read(value)),
  };
  return {
    name: column.name,
    type: sqlType(column) as 'text',
    primary: column.key ?? false,
    nullable: column.nullable ?? false,
    ...(transformer && { transformer }),
  };
}
