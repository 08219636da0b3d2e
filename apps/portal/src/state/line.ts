import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isWithoutSession } from './without-session';

/** Whether the service can be reached, as far as this page knows. */
export const online = signal(navigator.onLine);
addEventListener('online', () => void ask());
addEventListener('offline', () => (online.value = false));

const EVERY_MS = 5_000;
const ANSWER_MS = 5_000;

/** Asks the service for something small: a network alone says little, and an outage is none of the network's. */
async function ask(): Promise<void> {
  try {
    const answer = await fetch('/portal/about.json', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) });
    online.value = answer.ok;
  } catch {
    online.value = false;
  }
}

/** A request got no answer: until the service answers again it counts as out of reach. */
export const isOutOfReach = (problem: unknown): boolean => {
  const name = (problem as Error | null)?.name;
  const away = problem instanceof TypeError || name === 'TimeoutError' || name === 'AbortError';
  if (away) online.value = false;
  return away;
};

/** Keeps asking while something waits for the line. */
export function useLine(waits: boolean): boolean {
  useEffect(() => {
    if (!waits) return undefined;
    void ask();
    const timer = setInterval(() => void ask(), EVERY_MS);
    return () => clearInterval(timer);
  }, [waits]);
  return online.value && !isWithoutSession.value;
}
