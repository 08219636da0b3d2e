import { parentPort } from 'node:worker_threads';
import type { PreparedTx } from '#client';

/** One capture to send: the message to the thread of the client. */
export interface Sending {
  readonly url: string;
  readonly token: string;
  readonly body: string;
}

/** Its result. `took` is in milliseconds, from the first byte sent until the answer is read. */
export interface Captured {
  readonly took: number;
  readonly refused: string | null;
  readonly call: PreparedTx | null;
}

interface Answer {
  readonly refused: number;
  readonly data: readonly { readonly event: { readonly preparedTx: PreparedTx } | null; readonly problem: unknown }[];
}

/** The client of the captures, in its own thread: the event loop of the service runs the service only. */
parentPort?.on('message', ({ url, token, body }: Sending) => void capture(url, token, body));

async function capture(url: string, token: string, body: string): Promise<void> {
  const began = performance.now();
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/ld+json' },
    body,
  });
  const text = await answer.text();
  const took = performance.now() - began;
  const { refused, data } = JSON.parse(text) as Answer;
  const captured: Captured = {
    took,
    refused: refused === 0 ? null : `${refused} events were refused: ${JSON.stringify(data.find(({ problem }) => problem))}`,
    call: data[0]?.event?.preparedTx ?? null,
  };
  parentPort!.postMessage(captured);
}
