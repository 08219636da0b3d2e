import { useState } from 'preact/hooks';
import { type ListPage, listAll, nextPagePath } from '#client';
import { orKept } from './kept-answer';
import { type Loaded, useLoad } from './load';
import { useRun } from './run';
import { api } from './session';

export interface List<T> extends Loaded<ListPage<T>> {
  /** Null where all is shown. */
  readonly more: { readonly ask: () => void; readonly busy: boolean; readonly error: unknown } | null;
}

/**
 * A list from its beginning, and as much again as is asked for.
 * @param path with its filters and the size of a page
 * @param keptAs its beginning is kept on the device under this name, for when there is no line
 */
export function useList<T>(path: string, keptAs: string | null = null): List<T> {
  const begin = (): Promise<ListPage<T>> => api().get<ListPage<T>>(path);
  const first = useLoad(path, keptAs === null ? begin : orKept(keptAs, begin));
  const [further, setFurther] = useState<{ readonly first: ListPage<T>; readonly data: readonly T[]; readonly next: string | null } | null>(
    null,
  );
  const { busy, error, run } = useRun();
  if (first.data === null) return { ...first, more: null };
  const begun = first.data;
  // Further pages belong to their first page: after a reload the list starts again.
  const shown = further?.first === begun ? further : { first: begun, data: [], next: nextPagePath(path, begun) };
  const ask = (next: string) => async (): Promise<void> => {
    const page = await api().get<ListPage<T>>(next);
    setFurther({ first: begun, data: [...shown.data, ...page.data], next: nextPagePath(next, page) });
  };
  return {
    ...first,
    data: { ...begun, data: [...begun.data, ...shown.data] },
    more: shown.next === null ? null : { busy, error, ask: () => void run(ask(shown.next!)) },
  };
}

/** A short list to its end, whatever the size of its pages: process maps, for one. */
export function useAll<T>(path: string, keptAs: string | null = null): Loaded<readonly T[]> {
  const read = async (): Promise<readonly T[]> => {
    const all: T[] = [];
    for await (const one of listAll<T>(api(), path)) all.push(one);
    return all;
  };
  return useLoad(path, keptAs === null ? read : orKept(keptAs, read));
}
