import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

/** What is known of the request that is being worked on, wherever in the code something is logged. */
export const requestContext = new AsyncLocalStorage<{ readonly requestId: string }>();

/** Names under which a secret may travel; nobody logs them on purpose, this is the second wall. */
const SECRET_NAMES = [
  'password',
  'passwordHash',
  'secret',
  'secretHash',
  'accessToken',
  'refreshToken',
  'signature',
  'authorization',
  'privateKey',
  'token',
];

/** JSON lines with the request's id; `destination` is for tests. */
export function createLogger(options: { readonly level: string }, destination?: DestinationStream): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      mixin: () => requestContext.getStore() ?? {},
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
      serializers: { err: describeError, error: describeError },
    },
    destination as DestinationStream,
  );
}

/**
 * An error by what helps and cannot leak: errors of the database driver also carry the statement's parameters.
 * @param depth how many causes are told
 */
export function describeError(error: unknown, depth = 3): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    stack: error.stack,
    ...(cause !== undefined && depth > 0 && { cause: describeError(cause, depth - 1) }),
  };
}
