import '../work.css';
import type { ComponentType } from 'preact';
import { Empty, Link } from '../../parts/basics';
import { lazyPage } from '../../parts/lazy-page';
import { type Phrase, phrase, t } from '../../state/language';

const PAGES: Readonly<Record<string, readonly [title: Phrase, Page: ComponentType]>> = {
  all: [phrase('Passports'), lazyPage(() => import('./passports'))],
  holds: [phrase('Holds'), lazyPage(() => import('./holds'))],
  documents: [phrase('Documents'), lazyPage(() => import('./documents'))],
};
const PassportPage = lazyPage<{ readonly id: string }>(() => import('./passport'));

/** @param at below `/passports/`: a page, or the id of a passport */
export default function PassportPages({ at }: { readonly at: string }) {
  if (/^[\da-f]{32}$/.test(at)) return <PassportPage key={at} id={at} />;
  const name = at === '' ? 'all' : at;
  const page = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
  if (!page) return <Empty>{t('Page not found. Choose one from the navigation.')}</Empty>;
  const [title, Page] = page;
  return (
    <>
      <h1>{t(title)}</h1>
      <nav class="tabs" aria-label={t('Passports, holds and documents')}>
        {Object.entries(PAGES).map(([key, [called]]) => (
          <Link key={key} to={key === 'all' ? '/passports' : `/passports/${key}`} aria-current={key === name ? 'page' : undefined}>
            {t(called)}
          </Link>
        ))}
      </nav>
      <Page key={name} />
    </>
  );
}
