import type { ServerResponse } from 'node:http';
import { whenAnswered } from './when-answered.js';

const CHECK_MS = 5_000;
/** In one interval. A connection that takes less keeps the work waiting, not the other way round. */
const LEAST_BYTES = 64 * 1024;

/**
 * Calls `then` once if the reader of an answer takes almost nothing of what waits for it. An answer that is still computed is no sign of a
 * slow reader.
 */
export function whenReadSlowly(response: ServerResponse, then: () => void, checkMs = CHECK_MS): void {
  let before = takenBy(response);
  const timer = setInterval(() => {
    const taken = takenBy(response);
    const isSlow = response.writableLength > 0 && taken - before < LEAST_BYTES;
    before = taken;
    if (!isSlow) return;
    clearInterval(timer);
    then();
  }, checkMs).unref();
  whenAnswered(response, () => clearInterval(timer));
}

/** `bytesWritten` counts what is still in the buffer, too. */
const takenBy = ({ socket }: ServerResponse): number => (socket ? socket.bytesWritten - socket.writableLength : 0);
