import { type PostgresEndpoint, withClient } from '../endpoint.js';
import { SYSTEM_ROLE, TENANT_ROLE } from '../roles.js';

/** The service's login and database on a server of its own. */
export const LOGIN = { user: 'trace', database: 'trace' } as const;

/** Makes what is missing of login, roles and database; a start that was killed half-way is completed by the next one. */
export async function bootstrap(superuser: PostgresEndpoint): Promise<void> {
  await withClient(superuser, async (client) => {
    await client.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${TENANT_ROLE}') then create role ${TENANT_ROLE} nologin; end if;
      if not exists (select from pg_roles where rolname = '${SYSTEM_ROLE}') then create role ${SYSTEM_ROLE} nologin; end if;
      if not exists (select from pg_roles where rolname = '${LOGIN.user}') then create role ${LOGIN.user} login noinherit; end if;
      grant ${TENANT_ROLE}, ${SYSTEM_ROLE} to ${LOGIN.user};
    end $$`);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [LOGIN.database]);
    if (rowCount === 0) await client.query(`create database ${LOGIN.database} owner ${LOGIN.user}`);
  });
}
