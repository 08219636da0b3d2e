import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { PostgresEndpoint } from './endpoint.js';

/** Hears NOTIFY of the database, on a connection of its own that is opened again whenever it is lost. */
export abstract class DatabaseNotifications {
  /**
   * Calls `heard` for each notification, and once after every (re)connection: what was said meanwhile is lost, so "look again".
   * Resolves at once; the first connection is made in the background too. Close what it returns.
   */
  abstract listen(channel: string, heard: (payload: string) => void): Listening;
}

export interface Listening {
  close(): Promise<void>;
}

const LONGEST_PAUSE_MS = 5_000;

export class PgNotifications extends DatabaseNotifications {
  private readonly open = new Set<Listening>();

  constructor(
    private readonly endpoint: PostgresEndpoint,
    private readonly onError: (error: Error) => void = () => undefined,
  ) {
    super();
  }

  override listen(channel: string, heard: (payload: string) => void): Listening {
    const ending = new AbortController();
    const running = this.keepListening(channel, heard, ending.signal);
    const listening = {
      close: async (): Promise<void> => {
        this.open.delete(listening);
        ending.abort();
        await running;
      },
    };
    this.open.add(listening);
    return listening;
  }

  /** Closes every subscription. */
  async close(): Promise<void> {
    await Promise.all([...this.open].map((listening) => listening.close()));
  }

  private async keepListening(channel: string, heard: (payload: string) => void, ending: AbortSignal): Promise<void> {
    let pause = 100;
    while (!ending.aborted) {
      try {
        await this.listenOnce(channel, heard, ending, () => (pause = 100));
      } catch (error) {
        this.onError(error as Error);
      }
      await wait(pause, undefined, { signal: ending }).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Ends when the connection does. */
  private async listenOnce(channel: string, heard: (payload: string) => void, ending: AbortSignal, connected: () => void): Promise<void> {
    const client = new Client({
      ...this.endpoint,
      application_name: 'trace-listen',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    const lost = new Promise<void>((resolve) => {
      client.once('end', () => resolve());
      client.on('error', (error) => this.onError(error));
    });
    const close = (): void => void client.end().catch(() => undefined);
    ending.addEventListener('abort', close, { once: true });
    try {
      client.on('notification', ({ payload }) => heard(payload ?? ''));
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      connected();
      heard('');
      await lost;
    } finally {
      ending.removeEventListener('abort', close);
      await client.end().catch(() => undefined);
    }
  }
}
