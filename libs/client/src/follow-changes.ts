import { ApiProblem } from './api-problem.js';
import type { ChangesView } from './generated/api.js';
import { pause } from './sender.js';
import type { TraceabilityClient } from './traceability-client.js';

export interface FollowOptions {
  /** The cursor of the page before; `latest` for changes from now on; from the oldest without it. */
  readonly after?: string;
  readonly topics?: readonly string[];
  /** Seconds that a request waits for a change; default 30. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

const LONGEST_PAUSE_MS = 30_000;

/**
 * Pages of the change feed as they come, empty ones too: store `cursor` with what you did with `data`. A service that is away, busy or
 * limits requests is asked again, with growing pauses.
 * @throws ApiProblem for everything else: 410 has `body.continueAfter`
 */
export async function* followChanges(
  client: TraceabilityClient,
  { after, topics, waitSeconds = 30, signal }: FollowOptions = {},
): AsyncGenerator<ChangesView, void, undefined> {
  let [cursor, failures] = [after, 0];
  for (;;) {
    if (signal?.aborted) return;
    try {
      const page = await client.changes.list({ after: cursor, topics: topics?.join(), wait: waitSeconds });
      [cursor, failures] = [page.cursor, 0];
      yield page;
    } catch (error) {
      if (error instanceof ApiProblem && error.status !== 429 && error.status < 500) throw error;
      await pause(Math.min(500 * 2 ** failures++, LONGEST_PAUSE_MS));
    }
  }
}
