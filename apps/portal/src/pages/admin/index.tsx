import '../work.css';
import type { ComponentType } from 'preact';
import { Empty } from '../../parts/basics';
import { lazyPage } from '../../parts/lazy-page';
import { administersAll } from '../../state/rights';
import { isAdmin } from '../../state/session';
import { t } from '../../state/language';

interface SubPageProps {
  readonly id: string;
}
const LISTS: Readonly<Record<string, ComponentType>> = {
  webhooks: lazyPage(() => import('./webhooks')),
  members: lazyPage(() => import('./members')),
  organisations: lazyPage(() => import('./organisations')),
  'api-keys': lazyPage(() => import('./api-keys')),
  'process-maps': lazyPage(() => import('./process-maps')),
  'event-log': lazyPage(() => import('./event-log')),
  audit: lazyPage(() => import('./audit')),
  sponsorship: lazyPage(() => import('./sponsorship')),
  usage: lazyPage(() => import('./usage')),
};
const SINGLE: Readonly<Record<string, ComponentType<SubPageProps>>> = {
  webhooks: lazyPage<SubPageProps>(() => import('./webhook')),
  members: lazyPage<SubPageProps>(() => import('./member')),
  organisations: lazyPage<SubPageProps>(() => import('./organisation')),
  'process-maps': lazyPage<SubPageProps>(() => import('./process-map')),
};

const MapEditor = lazyPage<SubPageProps>(() => import('./map-editor'));

/** @param at below `/admin/`: a list, or a list and one of it */
export default function AdminPages({ at }: { readonly at: string }) {
  const [kind = '', id, ...rest] = at.split('/').map(decodeURIComponent);
  if (kind === 'webhooks' && isAdmin.value && !administersAll.value)
    return <Empty>{t('Webhooks get what happens in every process. Only an administrator of every process manages them.')}</Empty>;
  if (kind === 'process-maps' && id !== undefined && rest.join('/') === 'edit') return <MapEditor key={at} id={id} />;
  const List = id === undefined ? LISTS[kind] : undefined;
  if (List) return <List key={kind} />;
  const One = id !== undefined && rest.length === 0 ? SINGLE[kind] : undefined;
  if (One) return <One key={at} id={id!} />;
  return <Empty>{t('Page not found. Choose one from the navigation.')}</Empty>;
}
