import { setMaxListeners } from 'node:events';
import type { FastifyInstance } from 'fastify';
import type { CallerRequest } from '../access/current-rights.js';

/** A request of a server that may stop while the request waits. */
export interface StoppingRequest extends CallerRequest {
  readonly url: string;
  readonly headers: CallerRequest['headers'] & { readonly 'last-event-id'?: string };
  readonly server: object;
}

const SIGNALS = new WeakMap<object, AbortSignal>();

/** Aborted when the server accepts no more requests: a request that waits for something answers then, so that the process can end. */
export function addStopSignal(fastify: FastifyInstance): void {
  const stopping = new AbortController();
  // Each request that waits listens to it, and leaves it again.
  setMaxListeners(0, stopping.signal);
  SIGNALS.set(fastify.server, stopping.signal);
  fastify.addHook('preClose', (done) => {
    stopping.abort();
    done();
  });
}

export const stopSignalOf = ({ server }: StoppingRequest): AbortSignal => SIGNALS.get((server as FastifyInstance).server)!;
