import type pg from 'pg';

/** Roles that transactions assume by `set local role`. They own no table, so forced row-level security applies to both. */
export const TENANT_ROLE = 'trace_tenant';
export const SYSTEM_ROLE = 'trace_system';

/** The login has no right to create the roles. An administrator has to run `statements`, once per server. */
export class RolesMissing extends Error {
  constructor(
    readonly login: string,
    readonly statements: readonly string[],
    options?: ErrorOptions,
  ) {
    super(
      `The database login "${login}" is not allowed to set up the roles of row-level security. An administrator must run once:\n` +
        statements.map((statement) => `  ${statement}`).join('\n'),
      options,
    );
  }
}

/** The login bypasses row-level security: outside of transactions, nothing would separate the tenants. */
export class LoginTooPowerful extends Error {
  constructor(login: string, right: string) {
    super(
      `The database login "${login}" is ${right}: it bypasses row-level security. ` +
        `Use a separate login: create role trace login noinherit password '…'; grant ${TENANT_ROLE}, ${SYSTEM_ROLE} to trace; alter database … owner to trace;`,
    );
  }
}

/** Creates the two roles and the login's membership if they are missing. @throws RolesMissing when the login has no right to do so */
export async function ensureRoles(client: pg.Client): Promise<void> {
  const missing = await missingRoles(client);
  for (const statement of missing.statements) {
    try {
      await client.query(statement);
    } catch (error) {
      const code = (error as { code?: string }).code ?? '';
      // Roles belong to the whole server: the migration of another database may have created them at the same time.
      if (['42710', '23505', 'XX000'].includes(code)) continue;
      if (code === '42501') throw new RolesMissing(missing.login, missing.statements, { cause: error });
      throw error;
    }
  }
}

interface MissingRoles {
  readonly login: string;
  /** For an administrator. */
  readonly statements: readonly string[];
  /** Whether the login is allowed to execute them itself. */
  readonly creates: boolean;
}

/** What the login lacks of the two roles. */
export async function missingRoles(client: pg.Client): Promise<MissingRoles> {
  const { rows } = await client.query<{
    login: string;
    quoted: string;
    version: number;
    absent: string[];
    foreign: string[];
    superuser: boolean;
    creator: boolean;
  }>(
    `select current_user as login, quote_ident(current_user) as quoted, current_setting('server_version_num')::int as version,
            (select rolsuper from pg_roles where rolname = current_user) as superuser,
            (select rolcreaterole from pg_roles where rolname = current_user) as creator,
            array(select name from unnest($1::text[]) name where not exists (select from pg_roles where rolname = name)) as absent,
            array(select name from unnest($1::text[]) name where not exists (
              select from pg_auth_members m join pg_roles r on r.oid = m.roleid join pg_roles u on u.oid = m.member
              where r.rolname = name and u.rolname = current_user
                and (current_setting('server_version_num')::int < 160000 or (to_jsonb(m) ->> 'set_option')::boolean))) as foreign`,
    [[TENANT_ROLE, SYSTEM_ROLE]],
  );
  const { login, quoted, version, absent, foreign, superuser, creator } = rows[0]!;
  // Not inherited: rights are assumed per transaction, and a query outside of one sees no tenant's rows.
  const grant = version >= 160_000 ? ' with inherit false, set true' : '';
  return {
    login,
    // Of a role that another login created it is no member, and may not make itself one.
    creates: superuser || (creator && foreign.every((role) => absent.includes(role))),
    statements: [
      ...absent.map((role) => `create role ${role} nologin;`),
      ...(superuser ? [] : foreign.map((role) => `grant ${role} to ${quoted}${grant};`)),
    ],
  };
}

/**
 * Checks the service's own login: a member of both roles, and neither superuser nor BYPASSRLS (docs/spec/reliability.md#identity-and-access).
 * Outside of production the latter two cause only a warning.
 * @throws RolesMissing, LoginTooPowerful
 */
export async function checkLogin(
  query: <Row>(text: string, parameters: unknown[]) => Promise<Row[]>,
  mode: 'development' | 'production',
  warn: (sentence: string) => void,
): Promise<void> {
  const [login] = await query<{ name: string; rolsuper: boolean; rolbypassrls: boolean; roles: number; inherits: boolean }>(
    `select u.rolname as name, u.rolsuper, u.rolbypassrls,
            (select count(*)::int from pg_roles r where r.rolname = any($1) and pg_has_role(u.oid, r.oid, 'member')) as roles,
            (select coalesce(bool_or(pg_has_role(u.oid, r.oid, 'usage')), false) from pg_roles r where r.rolname = any($1)) as inherits
     from pg_roles u where u.rolname = current_user`,
    [[TENANT_ROLE, SYSTEM_ROLE]],
  );
  if (!login) return;
  const tooMuch = login.rolsuper ? 'a superuser' : login.rolbypassrls ? 'marked BYPASSRLS' : null;
  if (tooMuch) {
    const refusal = new LoginTooPowerful(login.name, tooMuch);
    if (mode === 'production') throw refusal;
    warn(refusal.message);
    return;
  }
  if (login.roles < 2) throw new RolesMissing(login.name, [`grant ${TENANT_ROLE}, ${SYSTEM_ROLE} to "${login.name}";`]);
  if (login.inherits)
    warn(
      `The database login "${login.name}" inherits ${SYSTEM_ROLE}: alter role "${login.name}" noinherit, so that a query outside of a transaction sees no tenant's rows.`,
    );
}
