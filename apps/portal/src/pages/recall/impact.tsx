import { useMemo } from 'preact/hooks';
import type { LotView, RecallImpactView } from '#client';
import { type Contacts, contactOf, useContacts } from '../../parts/contacts';
import { Empty, Facts, LotLink, Status, Table } from '../../parts/basics';
import { lazyPage } from '../../parts/lazy-page';
import type { Holder } from '../../map/lot-places';
import { showNumber, showQuantity, words } from '../../state/format';
import { showAmounts } from '../../state/recall-words';
import { phrase, t, translated } from '../../state/language';

const LotMap = lazyPage(() => import('../../map/lot-map'));

const LISTED = 50;

interface Preview {
  readonly of: RecallImpactView;
  /** The lot that would be recalled. */
  readonly lot: LotView | null;
}

export function Impact({ of, lot }: Preview) {
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
const inWords = (amounts: Amounts): string => showAmounts(Object.fromEntries(amounts)) || t('nothing measured');

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

function amountsByHolder(descendants: readonly HeldLot[], lot: LotView | null): ReadonlyMap<string, Amounts> {
  const held = new Map<string, Map<string, number>>();
  for (const { custodian, remainingQuantity, uom } of heldLots(descendants, lot)) {
    const amounts = held.get(custodian) ?? new Map<string, number>();
    held.set(custodian, amounts.set(uom!, (amounts.get(uom!) ?? 0) + Number(remainingQuantity)));
  }
  return held;
}

/** Those who hold goods now first: they are called first. */
function Companies({ of: { actors, descendants }, lot }: Preview) {
  const contacts = useContacts();
  const held = amountsByHolder(descendants, lot);
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

/** On a map: where the goods came from, and who holds them now. */
export function WhereItIs({ tokenId, of, lot }: Preview & { readonly tokenId: number }) {
  const contacts = useContacts();
  const holders = useMemo(() => holdersOf(of, lot, contacts), [of, lot, contacts]);
  return <LotMap tokenId={tokenId} holders={holders} />;
}

function holdersOf({ actors, descendants }: RecallImpactView, lot: LotView | null, contacts: Contacts | null): readonly Holder[] {
  const held = amountsByHolder(descendants, lot);
  return actors.flatMap(({ address, label }) => {
    const amounts = held.get(address);
    return amounts ? [{ name: label, organisation: contacts?.get(address) ?? null, amount: inWords(amounts) }] : [];
  });
}

const ROLES: Readonly<Record<string, string>> = {
  custodian: phrase('Holds it now'),
  pending: phrase('Awaits it'),
  past: phrase('Held it'),
};
