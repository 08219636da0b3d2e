import type { ComponentChildren } from 'preact';
import { type Operations, addressOf } from '#client';
import { Action } from '../../parts/action';
import { Show } from '../../parts/basics';
import { type Choice, Select, Text } from '../../parts/inputs';
import { showTime } from '../../state/format';
import { dayStart, useFilters } from '../../state/filters';
import { useLoad } from '../../state/load';
import { go } from '../../state/router';
import { saveFile } from '../../state/save-file';
import { api, me } from '../../state/session';
import { OrganisationField } from '../../parts/organisation-field';
import { t, tx } from '../../state/language';

export type ReportOperation = {
  [O in keyof Operations]: O extends `GET /api/v1/reports/${infer Name}` ? (Name extends `${string}/${string}` ? never : O) : never;
}[keyof Operations];
type Query = Readonly<Record<string, string | number | undefined>>;

const ROWS = 100;
const READS_ALL = new Set(['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN']);

/**
 * What all reports have: a period, an organisation, pages, a table for spreadsheets, and the block of the figures.
 * @param of which time the period is
 * @param filters of this report alone, by the names of its parameters
 * @param linked a parameter without a field, which only links set
 */
export function Report<O extends ReportOperation>({
  operation,
  about,
  filters = {},
  linked,
  rows = ROWS,
  children,
}: {
  readonly operation: O;
  readonly about: string;
  readonly filters?: Readonly<Record<string, { readonly label: string; readonly of: readonly Choice[]; readonly none?: string }>>;
  readonly linked?: string;
  /** On a page. */
  readonly rows?: number;
  readonly children: (report: Operations[O]['answer'], again: () => void) => ComponentChildren;
}) {
  const { value, set, address } = useFilters(['from', 'to', 'orgId', 'cursor', ...Object.keys(filters), ...(linked ? [linked] : [])]);
  const asked = questionOf(value);
  const report = useLoad(address, () =>
    api().get<Operations[O]['answer']>(addressOf(operation, { query: { limit: rows, ...asked } }).path),
  );
  const readsAll = me.value!.roles.some((role) => READS_ALL.has(role));
  return (
    <>
      <p class="hint">{about}</p>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <Text label={t('From')} type="date" value={value.from ?? ''} onChange={(from) => set({ from })} />
        <Text label={t('To (included)')} type="date" value={value.to ?? ''} onChange={(to) => set({ to })} />
        {readsAll && <OrganisationField none={t('All')} value={value.orgId ?? ''} onChange={(orgId) => set({ orgId })} />}
        {Object.entries(filters).map(([name, { label, of, none }]) => (
          <Select
            key={name}
            label={label}
            none={none ?? t('All')}
            of={of}
            value={value[name] ?? ''}
            onChange={(chosen) => set({ [name]: chosen })}
          />
        ))}
      </form>
      {linked && value[linked] && (
        <p class="hint">
          {tx('Only {value}.', { value: <code>{value[linked]}</code> })}{' '}
          <button type="button" onClick={() => set({ [linked]: '' })}>
            {t('Show all')}
          </button>
        </p>
      )}
      <div class="actions">
        <Action label={t('Download CSV')} run={() => saveTable(operation, asked)} />
      </div>
      <Show what={report}>
        {(shown) => (
          <>
            {children(shown, report.again)}
            <More of={shown} rows={rows} first={!value.cursor} next={(cursor) => go(nextPage(cursor))} />
            <p class="hint">
              {t('As of block {block}, computed {time}.', { block: shown.asOf.blockNumber, time: showTime(shown.generatedAt) })}
            </p>
          </>
        )}
      </Show>
    </>
  );
}

/** As the service is asked: days as the instants when they begin here, and what was left empty not at all. */
function questionOf({ from, to, ...others }: Readonly<Record<string, string>>): Query {
  const given = Object.entries({ ...others, ...(from && { from: dayStart(from) }), ...(to && { to: dayStart(to, 1) }) });
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
}

function nextPage(cursor: string): string {
  const next = new URLSearchParams(location.search);
  next.set('cursor', cursor);
  return `${location.pathname.replace(/^\/portal/, '')}?${next.toString()}`;
}

function More({
  of,
  rows,
  first,
  next,
}: {
  readonly of: { readonly total: number | null; readonly truncated: boolean; readonly nextCursor: string | null };
  readonly rows: number;
  readonly first: boolean;
  readonly next: (cursor: string) => void;
}) {
  if (first && !of.nextCursor) return null;
  return (
    <div class="pages">
      {!first && (
        <button type="button" onClick={() => history.back()}>
          {t('Back')}
        </button>
      )}
      {of.nextCursor && (
        <button type="button" onClick={() => next(of.nextCursor!)}>
          {of.total === null ? t('Next {count}', { count: rows }) : t('Next {count} of {total}', { count: rows, total: of.total })}
        </button>
      )}
    </div>
  );
}

/** All rows, not only those that are shown. */
async function saveTable(operation: ReportOperation, { cursor: _cursor, ...query }: Query): Promise<void> {
  const table = await api().download(addressOf(operation, { query: { ...query, format: 'csv' } }).path);
  saveFile(table, `${operation.split('/').at(-1)}-${new Date().toISOString().slice(0, 10)}.csv`);
}
