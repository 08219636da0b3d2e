import { useEffect, useState } from 'preact/hooks';
import { type Keeping, keep, kept } from './kept';

export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly busy: boolean;
  readonly again: () => void;
}

/** Loads again whenever `key` changes; a late answer for another key is dropped. The old data stays visible until the new is there. */
export function useLoad<T>(key: string, ask: () => Promise<T>): Loaded<T> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<Loaded<T>, 'again'>>({ data: null, error: null, busy: true });
  useEffect(() => {
    let current = true;
    setState(({ data }) => ({ data, error: null, busy: true }));
    ask().then(
      (data) => current && setState({ data, error: null, busy: false }),
      (error: unknown) => current && setState({ data: null, error, busy: false }),
    );
    return () => {
      current = false;
    };
    // The key names all that `ask` depends on.
  }, [key, round]);
  return { ...state, again: () => setRound((n) => n + 1) };
}

/** A draft that survives a reload of this tab, or the end of the page where it is kept on the device. */
export function useDraft<T>(name: string, empty: T, where: Keeping = 'tab'): [T, (next: T) => void] {
  const key = `draft.${name}`;
  const [draft, setDraft] = useState<T>(() => kept<T>(key, where) ?? empty);
  const change = (next: T): void => {
    keep(key, next, where);
    setDraft(next);
  };
  return [draft, change];
}

/** The value, once it has stood still for a moment: what is typed is not asked for letter by letter. */
export function useSettled<T>(value: T, afterMs = 300): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
