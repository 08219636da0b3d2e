import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Nest's own messages as lines of the service's log; its start-up chatter (routes, modules) only at `debug`. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const context = contextOf(rest);
    this.write(context !== null && CHATTER.has(context) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', message: unknown, rest: readonly unknown[]): void {
    const err = message instanceof Error ? message : rest.find((item) => item instanceof Error);
    const stack = rest.find((item) => typeof item === 'string' && item.includes('\n    at '));
    const context = contextOf(rest);
    const text = message instanceof Error ? message.message : typeof message === 'string' ? message : JSON.stringify(message);
    this.logger[level](
      { ...(context !== null && { context }), ...(err !== undefined && { err }), ...(stack !== undefined && { stack }) },
      text,
    );
  }
}

const CHATTER = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory', 'NestApplication']);

/** Nest passes the context as the last argument. */
function contextOf(rest: readonly unknown[]): string | null {
  const last = rest.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? last : null;
}
