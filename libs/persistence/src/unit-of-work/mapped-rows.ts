import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm';

type Mapped<E> = abstract new (...args: never[]) => E;

/** How rows of a mapped class are selected and read. */
interface RowsOf {
  /** Every column, under the name of its property. */
  readonly columns: string;
  readonly read: (row: ObjectLiteral) => ObjectLiteral;
}

const known = new WeakMap<EntityMetadata, RowsOf>();

/** By the same mapping as its repository, so that one of them can save what the other found. */
export function rowsOf<E extends ObjectLiteral>(
  dataSource: DataSource,
  type: Mapped<E>,
): { readonly columns: string; readonly read: (row: ObjectLiteral) => E } {
  const metadata = dataSource.getMetadata(type);
  const rows = known.get(metadata) ?? mappingOf(metadata);
  known.set(metadata, rows);
  return rows as { readonly columns: string; readonly read: (row: ObjectLiteral) => E };
}

function mappingOf(metadata: EntityMetadata): RowsOf {
  const transformed = metadata.columns.flatMap(({ propertyName, transformer }) =>
    transformer && !Array.isArray(transformer) ? [{ propertyName, from: (value: unknown): unknown => transformer.from(value) }] : [],
  );
  return {
    columns: metadata.columns.map(({ databaseName, propertyName }) => `"${databaseName}" as "${propertyName}"`).join(', '),
    read: (row) => {
      const entity = Object.assign(metadata.create(), row) as ObjectLiteral;
      for (const { propertyName, from } of transformed) entity[propertyName] = from(row[propertyName]);
      return entity;
    },
  };
}
