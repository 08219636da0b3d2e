import '../acting.css';
import { useMemo } from 'preact/hooks';
import type { LotView, PreparedRecallView, RecallImpactView, RecallPageView } from '#client';
import { Lineage } from '../../graph/lineage';
import { Empty, Field, Link, Section, Show } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { Impact, WhereItIs } from './impact';
import { Sign } from '../../parts/sign';
import { showAmounts } from '../../state/recall-words';
import { useDraft, useLoad } from '../../state/load';
import { go } from '../../state/router';
import { administersAll } from '../../state/rights';
import { api, isAdmin } from '../../state/session';
import { phrase, t, tx } from '../../state/language';

const CLASSES = [
  ['I', phrase('I: serious harm or death is likely')],
  ['II', phrase('II: harm that passes is possible')],
  ['III', phrase('III: harm is not likely')],
  ['withdrawal', phrase('Market withdrawal')],
  ['unclassified', phrase('Not classified yet')],
] as const;
const PROPAGATIONS = [
  ['flag', phrase('Flag affected lots')],
  ['hold', phrase('Hold affected lots')],
  ['recall', phrase('Recall affected lots')],
  ['none', phrase('This lot only')],
] as const;
const FORWARD = ['descendants'] as const;
const EMPTY = { reason: '', recallClass: 'unclassified', propagation: 'flag', instructions: '', reference: '' };

/** First what would be hit, then the recall itself. */
export default function RecallPage({ tokenId }: { readonly tokenId: number }) {
  const at = `/api/v1/nfts/${tokenId}/recall-impact`;
  const impact = useLoad(at, () => api().get<RecallImpactView>(at));
  const lot = useLoad(`lot ${tokenId}`, () => api().get<LotView>(`/api/v1/nfts/${tokenId}`));
  const hit = useMemo(() => new Set(impact.data?.descendants.map((descendant) => descendant.tokenId)), [impact.data]);
  return (
    <>
      <h1>{t('Recall {lot}', { lot: lot.data?.tlc ?? t('lot {id}', { id: String(tokenId) }) })}</h1>
      <p>
        <Link to={`/lots/${tokenId}`}>{t('Back to the lot and its lineage')}</Link>
        {isAdmin.value && (
          <>
            {' · '}
            <button type="button" onClick={toForm}>
              {t('To the form of the recall')}
            </button>
          </>
        )}
      </p>
      <Section title={t('Recall preview')}>
        <Show what={impact}>{(shown) => <Impact of={shown} lot={lot.data} />}</Show>
      </Section>
      {impact.data && <WhereItIs tokenId={tokenId} of={impact.data} lot={lot.data} />}
      {impact.data && <Lineage root={tokenId} title={t('Downstream lots')} directions={FORWARD} preview={hit} />}
      {isAdmin.value ? (
        <div id="recall-form">
          <RecallForm tokenId={tokenId} lot={lot.data} impact={impact.data} />
        </div>
      ) : (
        <Empty>{t('Only a tenant administrator can recall a lot.')}</Empty>
      )}
    </>
  );
}

/** The form is at the foot of a long page. Not a link: the address after # is the page. */
function toForm(): void {
  const field = document.querySelector<HTMLElement>('#recall-form input, #recall-form a');
  field?.scrollIntoView({ block: 'center' });
  field?.focus({ preventScroll: true });
}

interface Recalling {
  readonly tokenId: number;
  readonly lot: LotView | null;
  readonly impact: RecallImpactView | null;
}

function RecallForm({ tokenId, lot, impact }: Recalling) {
  const [draft, setDraft] = useDraft(`recall ${tokenId}`, EMPTY);
  const set = (change: Partial<typeof EMPTY>): void => setDraft({ ...draft, ...change });
  const prepare = (): Promise<PreparedRecallView> => {
    const { instructions, reference, ...asked } = draft;
    return api().post(`/api/v1/nfts/${tokenId}/recall/prepare`, {
      ...asked,
      ...(instructions && { instructions }),
      ...(reference && { reference }),
    });
  };
  if (lot?.recalled)
    return (
      <Section title={t('Recall')}>
        <p class="notice">
          {t('This lot is recalled already.')} <Link to="/recalls">{t('See the recall and its answers')}</Link>
        </p>
      </Section>
    );
  return (
    <Section title={t('Recall')}>
      <div class="stack">
        {!administersAll.value && (
          <p class="hint">
            {t(
              'You can recall this lot if you administer the process in which it was made, and hold or recall only lots of your processes.',
            )}
          </p>
        )}
        <Text label={t('Reason')} value={draft.reason} required onChange={(reason) => set({ reason })} />
        <Select label={t('Class')} of={CLASSES} value={draft.recallClass} onChange={(recallClass) => set({ recallClass })} />
        <Select label={t('Downstream lots')} of={PROPAGATIONS} value={draft.propagation} onChange={(propagation) => set({ propagation })} />
        <Field label={t('Instructions for holders')} hint={t('What they are to do with the goods, and whom they call')}>
          <textarea rows={3} value={draft.instructions} onInput={({ currentTarget }) => set({ instructions: currentTarget.value })} />
        </Field>
        <Text
          label={t('Your number of the recall (optional)')}
          value={draft.reference}
          maxLength={200}
          onChange={(reference) => set({ reference })}
        />
        <Sign
          final
          label={t('Recall this lot')}
          confirm={t('Yes, recall it now')}
          type="recall"
          name={`recall ${tokenId}`}
          disabled={draft.reason.trim() === ''}
          says={<Consequences draft={draft} lot={lot} impact={impact} />}
          prepare={prepare}
          onLanded={() => {
            setDraft(EMPTY);
            void openRecall(tokenId);
          }}
        />
      </div>
    </Section>
  );
}

/** To its page, where holders answer; the recall may take a moment until it is listed. */
async function openRecall(tokenId: number): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const { data } = await api().get<RecallPageView>(`/api/v1/recalls?open=true&tokenId=${tokenId}&limit=1`);
    if (data[0]) {
      go(`/recalls/${data[0].id}`);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  go(`/lots/${tokenId}`);
}

function Consequences({ draft, lot, impact }: { readonly draft: typeof EMPTY } & Omit<Recalling, 'tokenId'>) {
  const affected = impact?.descendants.length ?? 0;
  const holders = impact?.actors.filter(({ roles }) => roles.includes('custodian')).length ?? 0;
  const amounts = showAmounts(impact?.quantities ?? {});
  const downstream = t(PROPAGATIONS.find(([key]) => key === draft.propagation)![1]);
  return (
    <>
      <p>
        {tx('You recall lot {lot} ({product}), because: {reason}', {
          lot: <strong>{lot?.tlc}</strong>,
          product: lot?.assetTypeName ?? '–',
          reason: <strong>{draft.reason}</strong>,
        })}
      </p>
      <p>
        {t('Class')}: {t(CLASSES.find(([key]) => key === draft.recallClass)![1])}. {t('To take back')}:{' '}
        <strong>{amounts || t('nothing measured')}</strong>.
      </p>
      {draft.instructions && <p class="instructions">{draft.instructions}</p>}
      <p>
        {affected === 0
          ? t('No other lot is affected.')
          : t('{lots} downstream lots, {holders} holders: {what}.', { lots: affected, holders, what: downstream })}{' '}
        {t('Holders are notified at once, and public passports warn of it.')}
      </p>
      <p>{t('It goes on chain and stays in the record. You can lift it later, with a reason.')}</p>
    </>
  );
}
