import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { PostgresEndpoint } from './endpoint.js';

export interface NotificationListener {
  close(): Promise<void>;
}

const MAX_PAUSE_MS = 5_000;

/** Receives NOTIFY of the database on a separate connection, which is opened again whenever it is lost. */
export class DatabaseNotifications {
  private readonly listeners = new Set<NotificationListener>();

  constructor(
    private readonly endpoint: PostgresEndpoint,
    private readonly onError: (error: Error) => void = () => undefined,
  ) {}

  /**
   * Calls `onNotification` for each notification, and once after every (re)connection, because notifications may have been lost in between.
   * Returns immediately and connects in the background. Close the result.
   */
  listen(channel: string, onNotification: (payload: string) => void): NotificationListener {
    const ending = new AbortController();
    const running = this.keepListening(channel, onNotification, ending.signal);
    const listener = {
      close: async (): Promise<void> => {
        this.listeners.delete(listener);
        ending.abort();
        await running;
      },
    };
    this.listeners.add(listener);
    return listener;
  }

  /** Closes every listener. */
  async close(): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => listener.close()));
  }

  private async keepListening(channel: string, onNotification: (payload: string) => void, ending: AbortSignal): Promise<void> {
    let pause = 100;
    const connected = (): void => {
      pause = 100;
      // Notifications may have been lost while there was no connection.
      onNotification('');
    };
    while (!ending.aborted) {
      try {
        await this.listenOnce(channel, { onNotification, connected }, ending);
      } catch (error) {
        this.onError(error as Error);
      }
      await wait(pause, undefined, { signal: ending }).catch(() => undefined);
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
    }
  }

  /** Ends when the connection ends. */
  private async listenOnce(channel: string, { onNotification, connected }: Callbacks, ending: AbortSignal): Promise<void> {
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
    let isConnected = false;
    // The driver's `end` of a connection that is being opened never settles, and neither does its `connect`.
    const close = (): void => {
      if (isConnected) void client.end().catch(() => undefined);
      else (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    };
    ending.addEventListener('abort', close, { once: true });
    try {
      client.on('notification', ({ payload }) => onNotification(payload ?? ''));
      await client.connect();
      isConnected = true;
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      connected();
      await lost;
    } finally {
      ending.removeEventListener('abort', close);
      if (isConnected) await client.end().catch(() => undefined);
    }
  }
}

interface Callbacks {
  readonly onNotification: (payload: string) => void;
  readonly connected: () => void;
}
