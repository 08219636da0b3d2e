import Fastify from 'fastify';
import { Pool } from 'pg';
import type { PostgresEndpoint } from '#persistence';

/** Settings of the process: the service's own database, and the tenant whose lots are read. */
export interface JsonRoute {
  readonly endpoint: PostgresEndpoint;
  readonly tenantId: string;
}

// What PostgREST does with a table behind row-level security: role and tenant for one transaction, and one statement whose answer is JSON
// made by PostgreSQL, which is sent as it came. No credential is checked, and nothing of a lot is looked up elsewhere.
const { endpoint, tenantId } = JSON.parse(process.argv[2]!) as JsonRoute;
const pool = new Pool({ ...endpoint, max: 10 });
const RIGHTS = `select set_config('role', 'trace_tenant', true), set_config('app.tenant_id', '${tenantId}', true)`;

/** One message with four statements: the numbers in it are numbers. */
async function read(statement: string): Promise<string> {
  const results = (await pool.query(`begin; ${RIGHTS}; ${statement}; commit`)) as unknown as { rows: { body: string }[] }[];
  return results[2]!.rows[0]!.body;
}

const app = Fastify();
app.get<{ Params: { id: string } }>('/lots/:id', async ({ params }, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8');
  return read(`select row_to_json(l)::text as body from traceability.lot_v1 l where l.token_id = ${Number(params.id)}`);
});
app.get('/lots', async (_, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8');
  return read(
    `select coalesce(json_agg(l), '[]')::text as body from (select * from traceability.lot_v1 order by token_id desc limit 20) l`,
  );
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.send!({ address });
process.on('disconnect', () => process.exit(0));
