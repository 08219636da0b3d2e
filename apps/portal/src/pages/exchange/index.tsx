import '../work.css';
import type { ComponentType } from 'preact';
import { Empty, Link } from '../../parts/basics';
import { lazyPage } from '../../parts/lazy-page';
import { type Phrase, phrase, t } from '../../state/language';
import { readsReports } from '../../state/session';

const PAGES: Readonly<Record<string, readonly [title: Phrase, Page: ComponentType]>> = {
  import: [phrase('Import'), lazyPage(() => import('./imports'))],
  export: [phrase('Export'), lazyPage(() => import('./export'))],
  queries: [phrase('EPCIS queries'), lazyPage(() => import('./queries'))],
  archive: [phrase('Archive'), lazyPage(() => import('./archive'))],
};
const ImportPage = lazyPage<{ readonly id: string }>(() => import('./import'));
const SubscriptionPage = lazyPage<{ readonly query: string; readonly id: string }>(() => import('./subscription'));
const QueryPage = lazyPage<{ readonly id: string }>(() => import('./query'));

/** @param at below `/exchange/`; nothing is the first of them */
export default function ExchangePages({ at }: { readonly at: string }) {
  const [name = '', id, ...rest] = (at === '' ? 'import' : at).split('/').map(decodeURIComponent);
  const page = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
  if (name === 'queries' && id !== undefined && rest.length === 1) return <SubscriptionPage key={rest[0]} query={id} id={rest[0]!} />;
  if (!page || rest.length > 0) return <Empty>{t('Page not found. Choose one from the navigation.')}</Empty>;
  if (id !== undefined && name === 'import') return <ImportPage key={id} id={id} />;
  if (id !== undefined && name === 'queries') return <QueryPage key={id} id={id} />;
  const [title, Page] = page;
  return (
    <>
      <h1>{t(title)}</h1>
      <nav class="tabs" aria-label={t('Import and export')}>
        {Object.entries(PAGES).map(([key, [called]]) => (
          <Link key={key} to={`/exchange/${key}`} aria-current={key === name ? 'page' : undefined}>
            {t(called)}
          </Link>
        ))}
        <Link to="/captures">{t('Captured documents')}</Link>
        {readsReports.value && <Link to="/reports">{t('Reports')}</Link>}
      </nav>
      <Page key={name} />
    </>
  );
}
