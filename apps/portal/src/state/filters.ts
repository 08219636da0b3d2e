import { go, path, search } from './router';

/** Filters in the URL, so that a reload and a link show the same. Another filter begins at the first page again. */
export function useFilters<const Names extends readonly string[]>(names: Names) {
  const query = new URLSearchParams(search.value);
  for (const name of [...query.keys()]) if (!names.includes(name)) query.delete(name);
  const value = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Record<Names[number], string>;
  const set = (change: Partial<Record<Names[number], string>>, { keepPage = false } = {}): void => {
    const next = new URLSearchParams(query);
    if (!keepPage) for (const name of ['page', 'cursor']) next.delete(name);
    for (const [name, text] of Object.entries<string | undefined>(change)) {
      if (text) next.set(name, text);
      else next.delete(name);
    }
    const asked = next.toString();
    go(path.value + (asked && `?${asked}`), { replace: !keepPage });
  };
  return { value, set, address: query.toString() };
}

/** The instant when a day begins here, or so many days later; what is no day stays, and the service says so. */
export function dayStart(day: string, later = 0): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + later);
  return Number.isNaN(start.getTime()) ? day : start.toISOString();
}
