/** NDJSON: a JSON value a line, as fast as they are read. */
export async function* jsonLines(pages: AsyncIterable<readonly object[]> | Iterable<readonly object[]>): AsyncGenerator<string> {
  for await (const rows of pages) if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
