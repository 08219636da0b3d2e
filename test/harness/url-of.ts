import type { PostgresEndpoint } from '#persistence';

/** `postgres://` with the socket folder as libpq writes it. */
export function urlOf({ host, port, user, password, database }: PostgresEndpoint): string {
  const login = password === undefined ? user : `${user}:${encodeURIComponent(password)}`;
  return `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}
