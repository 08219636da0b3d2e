import '../work.css';
import type { ComponentType } from 'preact';
import { Empty, Link } from '../../parts/basics';
import { lazyPage } from '../../parts/lazy-page';

const REPORTS: Readonly<Record<string, readonly [title: string, Page: ComponentType]>> = {
  alerts: ['Alerts', lazyPage(() => import('./alerts'))],
  yield: ['Yield', lazyPage(() => import('./yield'))],
  inventory: ['Inventory', lazyPage(() => import('./inventory'))],
  suppliers: ['Suppliers', lazyPage(() => import('./suppliers'))],
  documents: ['Documents', lazyPage(() => import('./documents'))],
  'data-reference': ['Data references', lazyPage(() => import('./data-reference'))],
  sponsorship: ['Sponsorship', lazyPage(() => import('./sponsorship'))],
  fsma204: ['FSMA 204', lazyPage(() => import('./fsma204'))],
};

/** @param at below `/reports/`; nothing is the first of them */
export default function ReportPages({ at }: { readonly at: string }) {
  const name = at === '' ? 'alerts' : at;
  const report = Object.hasOwn(REPORTS, name) ? REPORTS[name] : undefined;
  if (!report) return <Empty>Report not found. Choose one from the navigation.</Empty>;
  const [title, Page] = report;
  return (
    <>
      <h1>{title}</h1>
      <nav class="tabs" aria-label="Reports">
        {Object.entries(REPORTS).map(([key, [called]]) => (
          <Link key={key} to={`/reports/${key}`} aria-current={key === name ? 'page' : undefined}>
            {called}
          </Link>
        ))}
      </nav>
      <Page key={name} />
    </>
  );
}
