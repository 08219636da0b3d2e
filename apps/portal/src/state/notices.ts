import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from './session';

/** Notices that are not read; null before they were counted. */
export const unread = signal<number | null>(null);

const EVERY_MS = 30_000;

export async function countUnread(): Promise<void> {
  unread.value = (await api().notices.list({ limit: 1 })).unread;
}

/** Keeps the number while the page is open; what cannot be counted is left out. */
export function useUnread(): void {
  useEffect(() => {
    const count = (): void => void countUnread().catch(() => undefined);
    count();
    const timer = setInterval(count, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}
