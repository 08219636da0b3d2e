/** A table with rows as wide as an event's, without row-level security, next to the tables of the service. */
export async function createBareTable(at: {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ ...at });
  await client.connect();
  await client.query('create table bare (id uuid primary key, cid text not null, body jsonb not null); grant all on bare to trace_system');
  await client.end();
}
