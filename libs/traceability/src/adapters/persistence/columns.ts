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

/** `token`: bigint column and bigint here; `block`: bigint column, number here; `micro`: millionths in a numeric column; `decimal`: numeric, number here. */
export type ColumnType = 'uuid' | 'text' | 'boolean' | 'smallint' | 'integer' | 'timestamptz' | 'token' | 'block' | 'micro' | 'decimal';

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

/** `unnest($1::uuid[], …)` parameters: one array a column. */
export const columnArrays = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): unknown[][] =>
  columns.map(({ property }) => rows.map((row) => row[property]));

/** `$from::uuid[], …` for the columns, counted from a parameter number. */
export const arrayParameters = (columns: readonly { readonly type: ColumnType }[], from: number): string =>
  columns.map((column, i) => `$${from + i}::${sqlType(column)}[]`).join(', ');

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
