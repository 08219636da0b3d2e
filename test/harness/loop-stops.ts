import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Nanoseconds of processor time of the main thread, where the system tells (Linux); other threads are not in it. */
function ownTime(): number | null {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ', 1)[0]);
  } catch {
    return null;
  }
}

/**
 * The longest time, in milliseconds, for which the event loop was blocked while something was done. On a busy machine it is also blocked
 * while other programs run: then what counts is the processor time of this thread between two rounds of the loop.
 */
export async function longestStop<T>(act: () => Promise<T>): Promise<{ readonly stop: number; readonly answer: T }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let longest = 0;
  let before = ownTime();
  const sample = (): void => {
    const now = ownTime();
    if (now !== null) longest = Math.max(longest, now - before!);
    before = now;
  };
  const timer = setInterval(sample, 1);
  delay.enable();
  const answer = await act();
  delay.disable();
  clearInterval(timer);
  const waited = delay.max / 1e6;
  return { stop: before === null ? waited : Math.min(waited, longest / 1e6), answer };
}

/** What no input may exceed, in milliseconds of a processor on which the work to compare with takes `COMPARED_MS`. */
const MOST_MS = 50;
const COMPARED_MS = 8;
const COMPARED = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `item ${i}`, even: i % 2 === 0 })));

/** How much longer known work takes here and now: caches and processors are shared with other programs. */
function slowness(): number {
  const times = Array.from({ length: 9 }, () => {
    const before = ownTime();
    JSON.parse(COMPARED);
    return before === null ? 0 : (ownTime()! - before) / 1e6;
  });
  return Math.max(1, times.toSorted((a, b) => a - b)[4]! / COMPARED_MS);
}
/** The first runs compile what later ones use again; garbage is collected at any time. */
const RUNS = 4;

/** Does it until the event loop was not blocked for long. @throws Error where it was each time */
export async function neverStops<T>(act: (run: number) => Promise<T>): Promise<T> {
  const stops: string[] = [];
  for (let run = 0; ; run++) {
    const { stop, answer } = await longestStop(() => act(run));
    const most = MOST_MS * slowness();
    stops.push(`${Math.round(stop)} of ${Math.round(most)}`);
    if (stop < most) return answer;
    if (stops.length === RUNS) throw new Error(`the event loop stood still for ${stops.join(', ')} ms`);
  }
}
