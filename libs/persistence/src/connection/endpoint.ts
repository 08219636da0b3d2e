import { Client, type ClientConfig } from 'pg';

/** Address of a PostgreSQL database and the login for it. `host` is a name, an address or the folder of a Unix socket. */
export interface PostgresEndpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  /** The driver's `ssl` option; set from `sslmode` and similar parameters of a URL. */
  readonly ssl?: ClientConfig['ssl'];
}

/** Reads a `postgres://` URL like libpq, with the driver's own parser, so that parameters such as `sslmode` and `host=/socket` work. */
export function endpointFromUrl(url: string): PostgresEndpoint {
  const { host, port, user, database, password, ssl } = new Client({ connectionString: url });
  return { host, port, user: user ?? 'postgres', database: database ?? 'postgres', ...(password && { password }), ...(ssl && { ssl }) };
}

/** For messages: the address without the password. */
export const describeEndpoint = (at: PostgresEndpoint): string => `${at.user}@${at.host}:${at.port}/${at.database}`;

/** A database that cannot be reached, refuses the login, or can do no more. The message is for the operator and names no password. */
export class DatabaseUnusable extends Error {
  /** Of the driver or the server, where they gave one. */
  readonly code: string | undefined;

  constructor(at: PostgresEndpoint, cause: unknown) {
    const { code, message } = cause as { code?: unknown; message?: string };
    super(`The database ${describeEndpoint(at)} cannot be used: ${REASONS[String(code)] ?? reasonOf(message || String(code))}.`, { cause });
    this.code = typeof code === 'string' ? code : undefined;
  }
}

/** By the code of PostgreSQL, where its message is about the statement. */
const REASONS: Readonly<Record<string, string>> = {
  '25006': 'it is read-only; use the primary server, or end the read-only mode of this one',
  '53100': 'its disk is full',
};

/** The driver's message; where it says only that time has passed, what that means. */
function reasonOf(message: string): string {
  if (/^timeout expired$|due to connection timeout|Query read timeout|timeout exceeded when trying to connect/i.test(message))
    return 'it accepts connections, but does not answer';
  if (/Connection terminated unexpectedly/i.test(message)) return 'what listens there closed the connection; it may be no PostgreSQL';
  return message.replace(/\.$/, '');
}

/** While connecting, every error is of this kind. Later it is a lost connection, a full disk, a stopping server, or a missing right. */
const UNUSABLE_LATER = /^(08|53|57P0|25006|42501|ECONN|EPIPE|ETIMEDOUT)/;

/** @param connecting whether the connection was being opened */
export function asUnusable(at: PostgresEndpoint, error: unknown, connecting: boolean): unknown {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  return connecting || UNUSABLE_LATER.test(code) || /Connection terminated/.test(message) ? new DatabaseUnusable(at, error) : error;
}

/** Opens one plain connection for `work` and closes it afterwards. @throws DatabaseUnusable */
export async function withClient<T>(at: PostgresEndpoint, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...at, application_name: 'trace-setup', connectionTimeoutMillis: 10_000 });
  // Without a listener a server that stops would end the process. The current query rejects in any case.
  client.on('error', () => undefined);
  let connecting = true;
  try {
    await client.connect();
    connecting = false;
    return await work(client);
  } catch (error) {
    throw asUnusable(at, error, connecting);
  } finally {
    await client.end().catch(() => undefined);
  }
}
