import '../work.css';
import type { ComponentType } from 'preact';
import { Empty, Link } from '../../parts/basics';
import { lazyPage } from '../../parts/lazy-page';
import { type Phrase, phrase, t } from '../../state/language';

const REPORTS: Readonly<Record<string, readonly [title: Phrase, Page: ComponentType]>> = {
  alerts: [phrase('Alerts'), lazyPage(() => import('./alerts'))],
  trends: [phrase('Trends'), lazyPage(() => import('./trends'))],
  yield: [phrase('Yield'), lazyPage(() => import('./yield'))],
  inventory: [phrase('Inventory'), lazyPage(() => import('./inventory'))],
  map: [phrase('Map'), lazyPage(() => import('./places'))],
  suppliers: [phrase('Suppliers'), lazyPage(() => import('./suppliers'))],
  documents: [phrase('Documents'), lazyPage(() => import('./documents'))],
  'data-reference': [phrase('Data references'), lazyPage(() => import('./data-reference'))],
  sponsorship: [phrase('Sponsorship'), lazyPage(() => import('./sponsorship'))],
  fsma204: [phrase('FSMA 204'), lazyPage(() => import('./fsma204'))],
};

/** @param at below `/reports/`; nothing is the first of them */
export default function ReportPages({ at }: { readonly at: string }) {
  const name = at === '' ? 'alerts' : at;
  const report = Object.hasOwn(REPORTS, name) ? REPORTS[name] : undefined;
  if (!report) return <Empty>{t('Report not found. Choose one from the navigation.')}</Empty>;
  const [title, Page] = report;
  return (
    <>
      <h1>{t(title)}</h1>
      <nav class="tabs" aria-label={t('Reports')}>
        {Object.entries(REPORTS).map(([key, [called]]) => (
          <Link key={key} to={`/reports/${key}`} aria-current={key === name ? 'page' : undefined}>
            {t(called)}
          </Link>
        ))}
      </nav>
      <Page key={name} />
    </>
  );
}
