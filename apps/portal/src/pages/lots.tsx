import { useEffect, useState } from 'preact/hooks';
import type { LotPageView, LotView } from '#client';
import { type Column, Empty, Field, Link, LotLink, Show, Status, Table } from '../parts/basics';
import { filtersOf, readCode } from '../scan/code.js';
import { ScanButton } from '../scan/scan-button';
import { showQuantity, showTime } from '../state/format';
import { useLoad } from '../state/load';
import { go, search } from '../state/router';
import { api } from '../state/session';
import { phrase, plural, t } from '../state/language';

const STATUSES = ['active', 'in_transit', 'aggregated', 'consumed', 'on_hold', 'recalled', 'expired', 'retired'];
const FILTERS = ['tlc', 'status', 'recalled', 'sort', 'cursor'] as const;
const ROWS = 100;

const COLUMNS: readonly Column<LotView>[] = [
  { name: phrase('Lot code'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
  { name: phrase('Product'), show: ({ assetTypeName, assetType }) => assetTypeName ?? assetType },
  {
    name: phrase('Status'),
    show: ({ status, recalled, recallAffected }) => (
      <>
        <Status of={status} />
        {recallAffected && !recalled && <span class="status status-affected">{t('Affected by a recall')}</span>}
      </>
    ),
  },
  { name: phrase('Remaining'), number: true, show: ({ remainingQuantity, uom }) => showQuantity(remainingQuantity, uom) },
  { name: phrase('Held by'), show: ({ custodianLabel, custodian }) => <span title={custodian}>{custodianLabel}</span> },
  { name: phrase('Created'), show: ({ createdAt }) => showTime(createdAt) },
];

interface LotsOfCode extends LotPageView {
  /** The code as it was sought. */
  readonly code: string;
}

/** By what is typed or scanned; a code that nobody has in that case is sought in capitals, as most codes are written. */
async function lotsOf(query: URLSearchParams): Promise<LotsOfCode> {
  const code = query.get('tlc') ?? '';
  const ask = async (sought: string): Promise<LotsOfCode> => {
    const filters = new URLSearchParams(query);
    filters.delete('tlc');
    for (const [name, value] of Object.entries(filtersOf(readCode(sought)))) filters.set(name, value);
    filters.set('limit', String(ROWS));
    return { ...(await api().get<LotPageView>(`/api/v1/nfts?${filters.toString()}`)), code: sought };
  };
  const found = await ask(code);
  const capitals = code.toUpperCase();
  return found.data.length > 0 || capitals === code || query.has('cursor') ? found : ask(capitals);
}

/** The filters are in the URL: a reload and a link show the same. */
export function LotsPage() {
  const query = new URLSearchParams(search.value);
  for (const name of [...query.keys()]) if (!FILTERS.includes(name as never)) query.delete(name);
  const asked = query.toString();
  const code = query.get('tlc') ?? '';
  const lots = useLoad(asked, () => lotsOf(query));
  const filter = (name: string, value: string): void => {
    const next = new URLSearchParams(query);
    next.delete('cursor');
    if (value) next.set(name, value);
    else next.delete(name);
    go(`/lots?${next.toString()}`, { replace: true });
  };
  return (
    <>
      <h1>{t('Lots')}</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <CodeFilter value={code} onChange={(value) => filter('tlc', value)} />
        <ScanButton label={t('Scan a lot')} onCode={(text) => filter('tlc', text)} />
        <Choice label={t('Status')} value={query.get('status')} of={STATUSES} onChange={(value) => filter('status', value)} />
        <Choice
          label={t('Recalled')}
          value={query.get('recalled')}
          of={['true', 'false']}
          names={[t('Yes'), t('No')]}
          onChange={(value) => filter('recalled', value)}
        />
        <Choice
          label={t('Order')}
          value={query.get('sort')}
          of={['tokenId', 'expiresAt', 'tlc']}
          names={[t('Oldest first'), t('Expiry'), t('Lot code')]}
          none={t('Newest first')}
          onChange={(value) => filter('sort', value)}
        />
      </form>
      <p class="links">
        <Link to={`/recalls${code && `?q=${encodeURIComponent(code)}`}`}>{t('Search by anything')}</Link>
      </p>
      <Show what={lots}>
        {({ data, total, totalIsLowerBound, nextCursor, code: sought }) =>
          data.length === 0 ? (
            <Empty>
              {asked ? t('No lots match these filters. Remove one.') : t('No lots yet. Record a creation event to create the first one.')}
            </Empty>
          ) : (
            <>
              <p class="count">
                {totalIsLowerBound ? t('more than {count} lots', { count: total }) : plural(total, '{count} lot', '{count} lots')}
              </p>
              <Table caption={t('Lots')} rows={data} columns={COLUMNS} keyOf={({ id }) => id} />
              <div class="pages">
                {query.has('cursor') && (
                  <button type="button" onClick={() => history.back()}>
                    {t('Back')}
                  </button>
                )}
                {nextCursor && (
                  <button type="button" onClick={() => go(`/lots?${withCursor(query, sought, nextCursor)}`)}>
                    {t('Next {count}', { count: ROWS })}
                  </button>
                )}
              </div>
            </>
          )
        }
      </Show>
    </>
  );
}

function withCursor(query: URLSearchParams, code: string, cursor: string): string {
  const next = new URLSearchParams(query);
  if (code) next.set('tlc', code);
  next.set('cursor', cursor);
  return next.toString();
}

/** Asks when the typing pauses. */
function CodeFilter({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    const timer = setTimeout(() => text !== value && onChange(text), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Field label={t('Lot code begins with')} hint={t('Also a GS1 Digital Link, or the text of a bar code')}>
      <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value.trimStart())} />
    </Field>
  );
}

function Choice({
  label,
  value,
  of,
  names,
  none = t('All'),
  onChange,
}: {
  readonly label: string;
  readonly value: string | null;
  readonly of: readonly string[];
  readonly names?: readonly string[];
  readonly none?: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      <select value={value ?? ''} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{none}</option>
        {of.map((one, index) => (
          <option key={one} value={one}>
            {names?.[index] ?? one.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </Field>
  );
}
