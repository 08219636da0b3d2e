import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { SeededFolder } from './seed-tenant.js';
import type { TimedAnswer } from './apart-client.js';

/** A client in its own process: it adds nothing to the memory of the service, and its parsing delays no request. */
export interface Apart {
  ask(path: string): Promise<TimedAnswer>;
  close(): void;
}

export async function openApart(baseUrl: string, { login, tenant }: Pick<SeededFolder, 'login' | 'tenant'>): Promise<Apart> {
  const client = fork(new URL('apart-client.js', import.meta.url), [baseUrl, login.email, login.password, tenant.slug]);
  await once(client, 'message');
  return {
    close: () => void client.kill(),
    async ask(path) {
      const waiting = new AbortController();
      const { signal } = waiting;
      const answer = once(client, 'message', { signal }) as Promise<[TimedAnswer]>;
      const gone = once(client, 'exit', { signal }).then((): never => {
        throw new Error('the client has ended');
      });
      gone.catch(() => undefined);
      client.send(path);
      try {
        return (await Promise.race([answer, gone]))[0];
      } finally {
        waiting.abort();
      }
    },
  };
}
