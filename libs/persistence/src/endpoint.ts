import { Client, type ClientConfig } from 'pg';

/** Where a PostgreSQL database answers, and as whom we log in. `host` is a name, an address or the folder of a Unix socket. */
export interface PostgresEndpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  /** What the driver's `ssl` takes; `sslmode` and its companions of a URL end here. */
  readonly ssl?: ClientConfig['ssl'];
}

/** Reads a `postgres://` URL as libpq does, with the driver's own parser, so that `sslmode`, `host=/socket` and the like keep their meaning. */
export function endpointFromUrl(url: string): PostgresEndpoint {
  const { host, port, user, database, password, ssl } = new Client({ connectionString: url });
  return { host, port, user: user ?? 'postgres', database: database ?? 'postgres', ...(password && { password }), ...(ssl && { ssl }) };
}

/** For messages: says where without saying the password. */
export const describeEndpoint = (at: PostgresEndpoint): string => `${at.user}@${at.host}:${at.port}/${at.database}`;

/** One plain connection for `work`, closed afterwards whatever happens. */
export async function withClient<T>(at: PostgresEndpoint, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...at, application_name: 'trace-setup', connectionTimeoutMillis: 10_000 });
  // Without a listener a server that stops would end the process; the query under way rejects in any case.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
