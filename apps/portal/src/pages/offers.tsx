import './acting.css';
import { useState } from 'preact/hooks';
import type { TransferView } from '#client';
import { Empty, Facts, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { More } from '../parts/more';
import { showQuantity, showTime, words } from '../state/format';
import { type List, useList } from '../state/list';
import { me } from '../state/session';
import { AnswerOffer } from './lot/offered';
import { TransferHistory } from './lot/transfer-history';
import { t } from '../state/language';

const ROWS = 100;

export default function OffersPage() {
  const { orgId } = me.value!;
  return (
    <>
      <h1>{t('Transfers')}</h1>
      {orgId === null ? (
        <Empty>{t('You do not act for an organisation. Transfers go to the wallets of organisations.')}</Empty>
      ) : (
        <AllTransfers orgId={orgId} />
      )}
    </>
  );
}

/** What was answered leaves its list, is said, and is among what has ended. */
function AllTransfers({ orgId }: { readonly orgId: string }) {
  const [said, setSaid] = useState('');
  const past = useList<TransferView>(`/api/v1/custody/org/${orgId}?status=all&limit=20`);
  const answered = (what: string): void => {
    setSaid(what);
    past.again();
  };
  return (
    <>
      <p role="status" class={said === '' ? undefined : 'notice'}>
        {said}
      </p>
      <Offers {...{ orgId, answered }} direction="in" title={t('Incoming transfers')} empty={t('No incoming transfers')} />
      <Offers
        {...{ orgId, answered }}
        direction="out"
        title={t('Outgoing transfers')}
        empty={t('No outgoing transfers. Open a lot to transfer it.')}
      />
      <Past of={past} />
    </>
  );
}

interface Listed {
  readonly orgId: string;
  readonly direction: 'in' | 'out';
  readonly title: string;
  readonly empty: string;
  readonly answered: (said: string) => void;
}

function Offers({ orgId, direction, title, empty, answered }: Listed) {
  const offers = useList<TransferView>(`/api/v1/custody/org/${orgId}/offers?direction=${direction}&limit=${ROWS}`);
  return (
    <Section title={title}>
      <Show what={offers}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{empty}</Empty>
          ) : (
            <>
              <ul class="transfers">
                {data.map((offer) => (
                  <li key={offer.transferId}>
                    <Offer
                      of={offer}
                      direction={direction}
                      again={(said) => {
                        offers.again();
                        answered(said);
                      }}
                    />
                  </li>
                ))}
              </ul>
              <More of={offers} />
            </>
          )
        }
      </Show>
    </Section>
  );
}

/** A part that its receiver did not take came back. */
const endedAmount = (of: TransferView): string =>
  of.status === 'rejected' && of.reason !== null && of.remainingQuantity !== null
    ? t('{amount} back', { amount: amountOf(of) })
    : amountOf(of);

const amountOf = ({ remainingQuantity, uom }: TransferView): string => showQuantity(remainingQuantity, uom);

interface Shown {
  readonly of: TransferView;
  readonly direction: 'in' | 'out';
  readonly again: (said: string) => void;
}

function Offer({ of, direction, again }: Shown) {
  const { tokenId, tlc, from, to, fromLabel, toLabel, assetType, assetTypeName, remainingQuantity, uom, expiresAt, offeredAt } = of;
  const product = assetTypeName ?? assetType;
  const name = tlc ?? t('lot {id}', { id: String(tokenId) });
  return (
    <article aria-label={t('Transfer of {lot}', { lot: name })}>
      <h3>
        {amountOf(of)}
        {product && ` of ${product}`}
      </h3>
      <Facts
        of={[
          [t('Lot'), <LotLink id={tokenId}>{name}</LotLink>],
          direction === 'in' ? [t('From'), <span title={from}>{fromLabel}</span>] : [t('To'), <span title={to}>{toLabel}</span>],
          [t('Offered'), showTime(offeredAt)],
          [t('Expires'), expiresAt === null ? t('No date') : showTime(expiresAt)],
          [t('State'), <Status of={of.status} />],
        ]}
      />
      <AnswerOffer
        offer={{
          ...{ tokenId, from, to, remainingQuantity, uom, assetTypeName },
          tlc: name,
          hasParts: remainingQuantity !== null && uom !== null,
        }}
        again={again}
        many
      />
      <TransferHistory tokenId={tokenId} />
    </article>
  );
}

/** What ended, whatever its end. */
function Past({ of: past }: { readonly of: List<TransferView> }) {
  return (
    <Section title={t('Past transfers')}>
      <Show what={past}>
        {({ data }) => {
          const ended = data.filter(({ status }) => status !== 'pending');
          if (ended.length === 0 && !past.more) return <Empty>{t('No transfer has ended yet.')}</Empty>;
          return (
            <>
              <Table
                caption={t('Past transfers, newest first')}
                rows={ended}
                keyOf={({ transferId }) => transferId}
                columns={[
                  { name: t('Ended'), show: ({ timestamp }) => showTime(timestamp) },
                  { name: t('Lot'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc ?? tokenId}</LotLink> },
                  { name: t('Product'), show: ({ assetTypeName, assetType }) => assetTypeName ?? assetType ?? '–' },
                  { name: t('Left now'), number: true, show: endedAmount },
                  { name: t('From'), show: ({ from, fromLabel }) => <span title={from}>{fromLabel}</span> },
                  { name: t('To'), show: ({ to, toLabel }) => <span title={to}>{toLabel}</span> },
                  { name: t('State'), show: ({ status }) => <Status of={status} /> },
                  { name: t('Reason'), show: ({ reason }) => words(reason) },
                ]}
              />
              <More of={past} />
            </>
          );
        }}
      </Show>
    </Section>
  );
}
