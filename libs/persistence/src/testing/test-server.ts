import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { startEmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { endpointFromUrl, type PostgresEndpoint, withClient } from '../connection/endpoint.js';
import { SYSTEM_ROLE, TENANT_ROLE } from '../connection/roles.js';

/** The server of a test run. The test processes receive it as JSON in the variable TRACE_TEST_POSTGRES. */
export interface TestServer {
  /** May create databases: creates and drops the clones. */
  readonly admin: PostgresEndpoint;
  /** The login of the tested code: not a superuser, a member of the two roles. */
  readonly login: { readonly user: string; readonly password?: string };
}

export const TEST_SERVER_VARIABLE = 'TRACE_TEST_POSTGRES';

/**
 * The server of a run: the one at `url`, whose login must be a superuser there, or else an embedded one in a temporary folder (with the
 * programs in `binDir`, or else the packaged ones). `stop` removes everything that was created.
 */
export async function startTestServer(from: { readonly url?: string; readonly binDir?: string } = {}): Promise<StartedTestServer> {
  return from.url ? borrowServer(endpointFromUrl(from.url)) : ownServer(from.binDir);
}

export type StartedTestServer = TestServer & { stop(): Promise<void> };

async function ownServer(binDir?: string): Promise<StartedTestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'trace-test-'));
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    // No data of a test run has to survive a power failure.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 200, shared_buffers: '64MB' },
    ...(binDir && { binDir }),
  });
  return {
    admin: server.superuser,
    login: { user: server.endpoint.user },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function borrowServer(admin: PostgresEndpoint): Promise<StartedTestServer> {
  const login = { user: `trace_test_${randomBytes(4).toString('hex')}`, password: randomBytes(16).toString('hex') };
  const made = await withClient(admin, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select name from unnest($1::text[]) name where not exists (select from pg_roles where rolname = name)',
      [[TENANT_ROLE, SYSTEM_ROLE]],
    );
    for (const { name } of rows) await client.query(`create role ${name} nologin`);
    await client.query(`create role ${login.user} login noinherit password '${login.password}'`);
    await client.query(`grant ${TENANT_ROLE}, ${SYSTEM_ROLE} to ${login.user}`);
    return rows.map(({ name }) => name);
  });
  return { admin, login, stop: () => withClient(admin, (client) => returnServer(client, login.user, made)) };
}

async function returnServer(client: Client, login: string, roles: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ datname: string }>('select datname from pg_database where datdba = $1::regrole', [login]);
  for (const { datname } of rows) await client.query(`drop database ${client.escapeIdentifier(datname)} with (force)`);
  await client.query(`drop role ${login}`);
  // Another test run may use them at the same time; then that run drops them.
  for (const role of roles) await client.query(`drop role ${role}`).catch(() => undefined);
}

/** The server that the global setup started. @throws when a spec runs in a project without it */
export function testServer(): TestServer {
  const described = process.env[TEST_SERVER_VARIABLE];
  if (!described)
    throw new Error(`${TEST_SERVER_VARIABLE} is not set: put the spec into test/engines or test/journeys, whose projects start a server`);
  return JSON.parse(described) as TestServer;
}
