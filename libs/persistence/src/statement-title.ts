/** What a statement is called in traces: what it does, and to which table first. Never a value. */
export interface StatementTitle {
  readonly title: string;
  readonly operation: string;
  /** Of the schema's own spelling, `schema.table`; null for statements without a table. */
  readonly table: string | null;
}

const TABLE = String.raw`"?([a-z_]+)"?\."?([a-z_0-9]+)"?`;
const WRITES = new RegExp(String.raw`\b(insert\s+into|update|delete\s+from)\s+(?:only\s+)?${TABLE}`, 'i');
const READS = new RegExp(String.raw`\bfrom\s+${TABLE}`, 'i');
const CONTROL = /^\s*(start transaction|set|commit|rollback|savepoint|release|notify|listen|lock|call)\b/i;

export function statementTitle(text: string): StatementTitle {
  const control = CONTROL.exec(text)?.[1]?.toLowerCase();
  if (control) return { title: control, operation: control, table: null };
  const write = WRITES.exec(text);
  const found = write ? { operation: write[1]!.split(/\s/, 1)[0]!.toLowerCase(), place: write.slice(2, 4) } : read(text);
  const table = found.place ? found.place.join('.') : null;
  return { title: table === null ? found.operation : `${found.operation} ${table}`, operation: found.operation, table };
}

function read(text: string): { operation: string; place: string[] | null } {
  const place = READS.exec(text);
  return { operation: 'select', place: place && place.slice(1, 3) };
}
