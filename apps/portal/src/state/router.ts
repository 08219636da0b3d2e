import { signal } from '@preact/signals';

const BASE = '/portal';
const here = (): string => location.pathname.slice(BASE.length).replace(/\/$/, '') || '/';

export const path = signal(here());
export const search = signal(location.search);

function follow(): void {
  path.value = here();
  search.value = location.search;
}
addEventListener('popstate', follow);

/** @param to below /portal, with its query */
export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', BASE + to);
  follow();
  if (!replace) {
    scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }
}

export const href = (to: string): string => BASE + to;

/** For plain clicks on links of the page; with a modifier the browser does what it always does. */
export function onLinkClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith(`${BASE}/`)) return;
  event.preventDefault();
  go(link.pathname.slice(BASE.length) + link.search);
}
