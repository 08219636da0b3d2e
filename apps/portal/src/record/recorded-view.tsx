import { useEffect, useRef } from 'preact/hooks';
import type { LotView, TrackedTransaction } from '#client';
import { Link, LotLink, Section } from '../parts/basics';
import { useLoad } from '../state/load';
import { showQuantity } from '../state/format';
import { api, me } from '../state/session';
import type { EventDraft } from './draft.js';
import type { Process } from './process.js';
import { t, tx } from '../state/language';

/** What was recorded, and what comes next. */
export interface Recorded {
  readonly landing: TrackedTransaction;
  readonly draft: EventDraft;
}

export function RecordedView({
  process,
  recorded: { landing, draft },
  onAgain,
}: {
  readonly process: Process;
  readonly recorded: Recorded;
  /** @param keep whether the values stay */
  readonly onAgain: (keep: boolean) => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  const { tokenIds = [] } = (landing.effects ?? {}) as { readonly tokenIds?: readonly (number | string)[] };
  const ids = tokenIds.length > 0 ? tokenIds : draft.lots.map(({ tokenId }) => tokenId);
  return (
    <Section title={process.label}>
      <h2 class="title good" tabIndex={-1} ref={heading}>
        {t('Event recorded.')}
      </h2>
      <div class="stack">
        {ids.map((id) => (
          <RecordedLot key={id} id={id} handsOn={draft.handing === 'none'} />
        ))}
        <div class="actions">
          <button type="button" class="main" onClick={() => onAgain(true)}>
            {t('Another one with these values')}
          </button>
          <button type="button" onClick={() => onAgain(false)}>
            {t('Start with an empty form')}
          </button>
          <Link to="/transactions">{t('Transactions')}</Link>
        </div>
      </div>
    </Section>
  );
}

const goodsOf = (amount: string, product: string | null): string => (product ? t('{amount} of {product}', { amount, product }) : amount);

/** A lot may not be there to read yet: its links work without it. */
function RecordedLot({ id, handsOn }: { readonly id: number | string; readonly handsOn: boolean }) {
  const { data: lot } = useLoad(`recorded ${id}`, () => api().get<LotView>(`/api/v1/nfts/${id}`));
  const mine = lot?.custodian === me.value?.wallet;
  const label = useLabel(lot);
  return (
    <div class="result">
      {lot && (
        <p class="said">
          {tx('{goods}, lot {lot}', {
            goods: goodsOf(showQuantity(lot.quantity, lot.uom), lot.assetTypeName ?? lot.assetType),
            lot: <b>{lot.tlc}</b>,
          })}
        </p>
      )}
      <p class="links">
        <LotLink id={id}>{t('Open lot {id}', { id: String(id) })}</LotLink>
        {label && (
          <a href={label} target="_blank" rel="noreferrer">
            {t('Print a label')}
          </a>
        )}
        {handsOn && mine && <LotLink id={id}>{t('Transfer it')}</LotLink>}
        {handsOn && mine && <Link to={`/record?lot=${id}`}>{t('Record what happens next')}</Link>}
      </p>
    </div>
  );
}

const TRIES = 5;
const PAUSE_MS = 2_000;

/** Address of the label of a lot that has a passport. Passports are issued a moment after the lot. */
function useLabel(lot: LotView | null): string | null {
  const { data } = useLoad(`label ${lot?.tlc}`, async () => {
    if (!lot?.gtin) return null;
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const { data: newest } = await api().call('GET /api/v1/passports', { query: { limit: 20 } });
      const passport = newest.find(({ tokenId }) => tokenId === lot.tokenId);
      if (passport) return `/p/${passport.id}/label.pdf`;
    }
    return null;
  });
  return data;
}
