import '../acting.css';
import { useMemo } from 'preact/hooks';
import type { LotView, PreparedRecallView, RecallImpactView, RecallPageView } from '#client';
import { Lineage } from '../../graph/lineage';
import { Empty, Facts, Field, Link, LotLink, Section, Show, Status, Table } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { contactOf, useContacts } from '../../parts/contacts';
import { SureSign } from '../../parts/sure-sign';
import { showNumber, showQuantity, words } from '../../state/format';
import { useDraft, useLoad } from '../../state/load';
import { go } from '../../state/router';
import { administersAll } from '../../state/rights';
import { api, isAdmin } from '../../state/session';
import { phrase, t, translated, tx } from '../../state/language';

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
      </p>
      <Section title={t('Recall preview')}>
        <Show what={impact}>{(shown) => <Impact of={shown} lot={lot.data} />}</Show>
      </Section>
      {impact.data && <Lineage root={tokenId} title={t('Downstream lots')} directions={FORWARD} preview={hit} />}
      {isAdmin.value ? (
        <RecallForm tokenId={tokenId} lot={lot.data} impact={impact.data} />
      ) : (
        <Empty>{t('Only a tenant administrator can recall a lot.')}</Empty>
      )}
    </>
  );
}

const LISTED = 50;

interface Preview {
  readonly of: RecallImpactView;
  /** The lot that would be recalled. */
  readonly lot: LotView | null;
}

function Impact({ of, lot }: Preview) {
  const { truncated, descendants } = of;
  return (
    <>
      <Figures of={of} lot={lot} />
      {truncated && <p class="notice">{t('The result is incomplete: the walk reached its limit.')}</p>}
      <h3>{t('Companies to notify')}</h3>
      <Companies of={of} lot={lot} />
      {descendants.length === 0 ? (
        <Empty>{t('No downstream lots: the recall affects this lot only.')}</Empty>
      ) : (
        <>
          <h3>{t('Affected lots')}</h3>
          <Table
            caption={t('Affected lots')}
            rows={descendants.slice(0, LISTED)}
            keyOf={({ tokenId }) => tokenId}
            columns={[
              { name: t('Lot'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
              { name: t('Product'), show: ({ assetTypeName }) => assetTypeName ?? '–' },
              { name: t('Quantity'), number: true, show: ({ remainingQuantity, uom }) => showQuantity(remainingQuantity, uom) },
              { name: t('Status'), show: ({ status }) => <Status of={status} /> },
              { name: t('Held by'), show: ({ custodianLabel }) => custodianLabel },
            ]}
          />
          {descendants.length > LISTED && <p class="hint">{t('First {shown} of {all}.', { shown: LISTED, all: descendants.length })}</p>}
        </>
      )}
    </>
  );
}

type Amounts = ReadonlyMap<string, number>;
const inWords = (amounts: Amounts): string =>
  [...amounts].map(([uom, value]) => showQuantity(value, uom)).join(', ') || t('nothing measured');

type HeldLot = Pick<LotView, 'status' | 'custodian' | 'remainingQuantity' | 'uom'>;
/** The lots with something left at a holder. */
const heldLots = (descendants: readonly HeldLot[], lot: LotView | null): readonly HeldLot[] =>
  [...(lot ? [lot] : []), ...descendants].filter(
    ({ status, remainingQuantity, uom }) => status !== 'retired' && uom !== null && Number(remainingQuantity ?? 0) > 0,
  );

/** What is still held, and what left the supply chain: of the lots of this answer. */
function amountsOf({ descendants, quantities }: RecallImpactView, lot: LotView | null): { readonly stock: Amounts; readonly out: Amounts } {
  const stock = new Map<string, number>();
  for (const { remainingQuantity, uom } of heldLots(descendants, lot)) stock.set(uom!, (stock.get(uom!) ?? 0) + Number(remainingQuantity));
  // The sums of the service count what was sold, exported or lost too.
  const out = new Map(
    Object.entries(quantities as Readonly<Record<string, number>>)
      .map(([uom, all]) => [uom, all - (stock.get(uom) ?? 0)] as const)
      .filter(([, value]) => value > 0),
  );
  return { stock, out };
}

function Figures({ of, lot }: Preview) {
  const { truncated, descendants, actors, countries, reconciliation, quantities } = of;
  const { stock, out } = amountsOf(of, lot);
  const mass = (reconciliation as { readonly total: Readonly<Record<string, number | null>> | null }).total;
  const holders = actors.filter(({ roles }) => roles.includes('custodian')).length;
  const kg = (name: string): string | null =>
    mass?.[name] === null || mass?.[name] === undefined ? null : showQuantity(mass[name], 'KGM');
  return (
    <Facts
      of={[
        [t('Affected lots'), truncated ? t('at least {amount}', { amount: descendants.length }) : showNumber(descendants.length)],
        [t('To take back'), inWords(new Map(Object.entries(quantities as Readonly<Record<string, number>>)))],
        [t('Of it in stock'), inWords(stock)],
        [t('Of it out of the chain (sold, exported, lost)'), out.size === 0 ? t('nothing') : inWords(out)],
        [t('Holders now'), showNumber(holders)],
        [t('Countries of origin'), countries.join(', ') || t('unknown')],
        [t('Mass produced'), kg('producedKg')],
        [t('Mass on hand'), kg('onHandKg')],
        [t('Mass retired'), kg('retiredKg')],
        [t('Mass accounted for'), mass?.['accountedPercent'] == null ? null : `${showNumber(mass['accountedPercent'])} %`],
      ]}
    />
  );
}

/** Those who hold goods now first: they are called first. */
function Companies({ of: { actors, descendants }, lot }: Preview) {
  const contacts = useContacts();
  const held = new Map<string, Map<string, number>>();
  for (const { custodian, remainingQuantity, uom } of heldLots(descendants, lot)) {
    const amounts = held.get(custodian) ?? new Map<string, number>();
    held.set(custodian, amounts.set(uom!, (amounts.get(uom!) ?? 0) + Number(remainingQuantity)));
  }
  const rank = ({ roles }: (typeof actors)[number]): number => (roles.includes('custodian') ? 0 : roles.includes('pending') ? 1 : 2);
  return (
    <Table
      caption={t('Companies that hold, await or held affected lots')}
      rows={actors.toSorted((a, b) => rank(a) - rank(b))}
      keyOf={({ address }) => address}
      columns={[
        { name: t('Company'), show: ({ label, address }) => <span title={address}>{label}</span> },
        { name: t('Role'), show: ({ roles }) => roles.map((role) => translated(ROLES[role] ?? words(role))).join(', ') },
        { name: t('Holds'), show: ({ address }) => (held.has(address) ? inWords(held.get(address)!) : '–') },
        { name: t('Lots'), number: true, show: ({ tokenIds }) => showNumber(tokenIds.length) },
        { name: t('Contact'), show: ({ address }) => contactOf(contacts, address) },
      ]}
    />
  );
}

const ROLES: Readonly<Record<string, string>> = {
  custodian: phrase('Holds it now'),
  pending: phrase('Awaits it'),
  past: phrase('Held it'),
};

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
        <SureSign
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
  const downstream = t(PROPAGATIONS.find(([key]) => key === draft.propagation)![1]);
  return (
    <>
      <p>
        {tx('You recall lot {lot} ({amount} of {product} left), because: {reason}', {
          lot: <strong>{lot?.tlc}</strong>,
          amount: showQuantity(lot?.remainingQuantity, lot?.uom),
          product: lot?.assetTypeName ?? '–',
          reason: <strong>{draft.reason}</strong>,
        })}
      </p>
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
