import '../work.css';
import type { ComponentType } from 'preact';
import { Empty } from '../../parts/basics';
import { lazyPage } from '../../parts/lazy-page';

interface Of {
  readonly id: string;
}
const LISTS: Readonly<Record<string, ComponentType>> = {
  webhooks: lazyPage(() => import('./webhooks')),
  members: lazyPage(() => import('./members')),
  organisations: lazyPage(() => import('./organisations')),
  'api-keys': lazyPage(() => import('./api-keys')),
  'process-maps': lazyPage(() => import('./process-maps')),
  audit: lazyPage(() => import('./audit')),
  usage: lazyPage(() => import('./usage')),
};
const SINGLE: Readonly<Record<string, ComponentType<Of>>> = {
  webhooks: lazyPage<Of>(() => import('./webhook')),
  members: lazyPage<Of>(() => import('./member')),
  organisations: lazyPage<Of>(() => import('./organisation')),
  'process-maps': lazyPage<Of>(() => import('./process-map')),
};

/** @param at below `/admin/`: a list, or a list and one of it */
export default function AdminPages({ at }: { readonly at: string }) {
  const [kind = '', id, ...rest] = at.split('/').map(decodeURIComponent);
  const List = id === undefined ? LISTS[kind] : undefined;
  if (List) return <List key={kind} />;
  const One = id !== undefined && rest.length === 0 ? SINGLE[kind] : undefined;
  if (One) return <One key={at} id={id!} />;
  return <Empty>There is no such page. Choose one from the navigation.</Empty>;
}
