import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';

type Callback = () => void;

/** What waits for the end of an answer; null once it has ended. */
const waiting = new WeakMap<ServerResponse, Callback[] | null>();
/** What waits for the end of a connection. */
const connected = new WeakMap<Socket, Set<Callback>>();

/**
 * Calls `then` once when the answer is sent, or its connection has gone, also where it was to follow the answers of other requests of this
 * connection: Node says nothing of such an answer. All who wait share one listener of the response and one of the connection, since Node warns
 * of more than ten, and Fastify, Nest and the compression have some of their own.
 */
export function whenAnswered(response: ServerResponse, then: Callback): void {
  const others = waiting.get(response);
  if (others) others.push(then);
  else if (others === null) queueMicrotask(then);
  else begin(response, [then]);
}

function begin(response: ServerResponse, all: Callback[]): void {
  const open = connectionOf(response.req.socket);
  const end = (): void => {
    open.delete(end);
    if (waiting.get(response) === null) return;
    waiting.set(response, null);
    for (const one of all) one();
  };
  waiting.set(response, all);
  open.add(end);
  finished(response, end);
  if (response.req.socket.destroyed) queueMicrotask(end);
}

function connectionOf(socket: Socket): Set<Callback> {
  const known = connected.get(socket);
  if (known) return known;
  const open = new Set<Callback>();
  connected.set(socket, open);
  socket.once('close', () => {
    for (const end of open) end();
  });
  return open;
}
