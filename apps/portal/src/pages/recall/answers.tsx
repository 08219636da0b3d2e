import { useEffect, useState } from 'preact/hooks';
import type { AcknowledgementsView, LotAcknowledgementView, LotView } from '#client';
import { Action } from '../../parts/action';
import { Empty, LotLink, Section, Status, Table } from '../../parts/basics';
import { contactOf, useContacts } from '../../parts/contacts';
import { readQuantity } from '../../parts/quantity';
import { Text } from '../../parts/inputs';
import { UNITS, showNumber, showQuantity, showTime } from '../../state/format';
import { type Loaded, useLoad } from '../../state/load';
import { api, me } from '../../state/session';
import { holderState, showAmounts } from '../../state/recall-words';
import { phrase, plural, t } from '../../state/language';

const ANSWERS = [
  ['quarantined', phrase('Quarantined')],
  ['returned', phrase('Returned')],
  ['destroyed', phrase('Destroyed')],
  ['not_found', phrase('Not found')],
] as const;
type Answer = (typeof ANSWERS)[number][0];

const EVERY_MS = 5_000;

/** Asked again while the page is open and seen: an answer of a holder appears by itself. */
export function useAnswers(id: string): Loaded<AcknowledgementsView> {
  const answers = useLoad(`answers ${id}`, () => api().get<AcknowledgementsView>(`/api/v1/recalls/${id}/acknowledgements?limit=100`));
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && answers.again(), EVERY_MS);
    return () => clearInterval(timer);
  }, [id]);
  return answers;
}

interface Answering {
  readonly id: string;
  readonly of: AcknowledgementsView;
  /** Nobody is asked any more. */
  readonly over?: boolean;
  readonly again: () => void;
}

/** What holders did with the lots; the holder says it here. */
export function LotAnswers({ id, of, over = false, again }: Answering) {
  const { data, holders, lots } = of;
  const mine = data.filter(({ custodian }) => custodian === me.value?.wallet);
  const open = mine.filter(({ state }) => state === null);
  return (
    <Section title={t('Lots')} aside={open.length > 1 && <AnswerAll id={id} lots={open} again={again} />}>
      {lots === 0 ? (
        <Empty>{over ? t('Nobody had answered when it was lifted.') : t('No lot is left to answer for.')}</Empty>
      ) : (
        <>
          <Table
            caption={t('Lots, those without an answer first')}
            rows={data}
            keyOf={({ tokenId }) => tokenId}
            columns={[
              { name: t('Lot'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc ?? tokenId}</LotLink> },
              { name: t('Holder'), show: ({ custodian }) => holders.find(({ address }) => address === custodian)?.label ?? custodian },
              { name: t('Answer'), show: (lot) => <Given of={lot} /> },
              { name: t('When'), show: ({ acknowledgedAt }) => showTime(acknowledgedAt) },
              ...(over
                ? []
                : [{ name: t('Your answer'), show: (lot: LotAcknowledgementView) => <GiveAnswer id={id} lot={lot} again={again} /> }]),
            ]}
          />
          {lots > data.length && <p class="hint">{t('First {shown} of {all}.', { shown: data.length, all: lots })}</p>}
        </>
      )}
    </Section>
  );
}

function Given({ of: { state, quantity, held, short } }: { readonly of: LotAcknowledgementView }) {
  if (state === null) return <>{t('None yet')}</>;
  const [part, all] = [quantity, held].map((some) => some as { readonly value: string; readonly uom: string } | null);
  const amount = !part
    ? t('whole lot')
    : short && all
      ? t('{part} of {all}', { part: showQuantity(part.value, part.uom), all: showQuantity(all.value, all.uom) })
      : showQuantity(part.value, part.uom);
  return (
    <>
      <Status of={state} /> {amount} {short && <Status of="part_missing" />}
    </>
  );
}

function AnswerAll({
  id,
  lots,
  again,
}: {
  readonly id: string;
  readonly lots: readonly LotAcknowledgementView[];
  readonly again: () => void;
}) {
  const send = async (): Promise<void> => {
    await api().recalls.acknowledge(
      id,
      lots.map(({ tokenId }) => ({ tokenId, state: 'quarantined' as const })),
    );
    again();
  };
  return (
    <Action
      label={t('Answer for all {count}: in quarantine', { count: lots.length })}
      sure={t('You say that all {count} lots without an answer are in quarantine, whole.', { count: lots.length })}
      run={send}
    />
  );
}

function GiveAnswer({ id, lot, again }: { readonly id: string; readonly lot: LotAcknowledgementView; readonly again: () => void }) {
  const [state, setState] = useState<Answer>('quarantined');
  const [part, setPart] = useState('');
  const [open, setOpen] = useState(lot.state === null);
  const held = useLoad(lot.custodian === me.value?.wallet ? `held ${lot.tokenId}` : '', async () =>
    lot.custodian === me.value?.wallet ? api().get<LotView>(`/api/v1/nfts/${lot.tokenId}`) : null,
  ).data;
  if (lot.custodian !== me.value?.wallet) return <>–</>;
  if (!open) return <Action label={t('Change')} run={async () => setOpen(true)} />;
  const name = lot.tlc ?? lot.tokenId;
  const { quantity, fault } = held ? readQuantity(part, held) : { quantity: null, fault: undefined };
  const send = async (): Promise<void> => {
    const of = quantity === null ? {} : { quantity: { value: String(quantity.value), uom: quantity.uom } };
    await api().recalls.acknowledge(id, [{ tokenId: lot.tokenId, state, ...of }]);
    setOpen(false);
    again();
  };
  return (
    <div class="stack answer">
      <select
        aria-label={t('Answer for {lot}', { lot: String(name) })}
        value={state}
        onChange={({ currentTarget }) => setState(currentTarget.value as Answer)}
      >
        {ANSWERS.map(([value, label]) => (
          <option key={value} value={value}>
            {t(label)}
          </option>
        ))}
      </select>
      {held?.uom && held.remainingQuantity !== null && (
        <Text
          label={`${t('How much')} (${UNITS[held.uom] ?? held.uom})`}
          hint={fault ?? t('Leave empty for all {amount}', { amount: showQuantity(held.remainingQuantity, held.uom) })}
          value={part}
          onChange={setPart}
        />
      )}
      <Action label={t('Answer')} main disabled={fault !== undefined} run={send} />
    </div>
  );
}

export function HolderAnswers({ of: { holders, states }, over = false }: { readonly of: AcknowledgementsView; readonly over?: boolean }) {
  const contacts = useContacts();
  const { missing = 0, ...given } = states as Readonly<Record<string, number>>;
  const short = holders.reduce((sum, holder) => sum + holder.short, 0);
  const answered = Object.values(given).reduce((sum, n) => sum + n, 0);
  return (
    <Section title={t('Holders')}>
      {holders.length === 0 && <Empty>{over ? t('Nobody had answered when it was lifted.') : t('Nobody holds any of these goods.')}</Empty>}
      {holders.length > 0 && (
        <p role="status">
          {over
            ? plural(
                answered,
                '{count} lot was answered for before the recall was lifted.',
                '{count} lots were answered for before the recall was lifted.',
              )
            : missing > 0
              ? t('{answered} of {all} lots answered.', { answered, all: answered + missing })
              : short > 0
                ? plural(
                    short,
                    'All holders have answered; of {count} lot, part is missing.',
                    'All holders have answered; of {count} lots, part is missing.',
                  )
                : t('All holders have confirmed.')}
        </p>
      )}
      {holders.length > 0 && (
        <Table
          caption={t('Holders, those with most lots without an answer first')}
          rows={holders}
          keyOf={({ address }) => address}
          columns={[
            { name: t('Holder'), show: ({ label }) => label },
            { name: t('Lots'), number: true, show: (one) => showNumber(one.lots) },
            ...(over ? [] : [{ name: t('Holds'), show: ({ held }: (typeof holders)[number]) => showAmounts(held) || '–' }]),
            { name: t('Answered'), number: true, show: ({ acknowledged }) => showNumber(acknowledged) },
            { name: t('State'), show: (one) => <Status of={holderState(one)} /> },
            { name: t('Contact'), show: ({ address }) => contactOf(contacts, address) },
          ]}
        />
      )}
    </Section>
  );
}
