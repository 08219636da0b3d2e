type Query = <Row>(text: string) => Promise<Row[]>;

/** @throws Error with the code of PostgreSQL for a statement that a read-only server refuses */
export async function requireReadWrite(query: Query): Promise<void> {
  const [row] = await query<{ reads_only: boolean }>("select current_setting('transaction_read_only') = 'on' as reads_only");
  if (row!.reads_only) throw Object.assign(new Error('it is read-only'), { code: '25006' });
}

/** Of 250 KB: a row may find room in a page that is there. Nothing stays: several statements in one message are one transaction. */
export async function tryWrite(query: Query): Promise<void> {
  await query(
    'create temporary table write_check (filler text) on commit drop;' +
      "insert into write_check select repeat('x', 1900) from generate_series(1, 128)",
  );
}
