import { useEffect } from 'preact/hooks';
import type { Loaded } from './load';

/** Loads again every so often while something is under way. */
export function useRepeated({ again, busy }: Pick<Loaded<unknown>, 'again' | 'busy'>, isUnderWay: boolean, everyMs = 1_000): void {
  useEffect(() => {
    if (!isUnderWay || busy) return undefined;
    const timer = setTimeout(again, everyMs);
    return () => clearTimeout(timer);
  }, [isUnderWay, busy]);
}
