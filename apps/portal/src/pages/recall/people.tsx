import type { AcknowledgementsView, DrillView } from '#client';
import { Facts, Link, Section, Show, Status, Table } from '../../parts/basics';
import { contactOf, useContacts } from '../../parts/contacts';
import { showLength, showNumber } from '../../state/format';
import { useAnswers } from './answers';
import { holderState } from '../../state/recall-words';
import { t } from '../../state/language';

type Holder = AcknowledgementsView['holders'][number];

/** How long people took, from the start of the drill to the last answer of each holder. */
export function People({ drill }: { readonly drill: DrillView }) {
  const answers = useAnswers(drill.id);
  return (
    <Section title={t('People')} aside={<Link to={`/recalls/${drill.id}`}>{t('Lots and answers')}</Link>}>
      <Show what={answers}>{(given) => <Times drill={drill} of={given} />}</Show>
    </Section>
  );
}

function Times({ drill, of }: { readonly drill: DrillView; readonly of: AcknowledgementsView }) {
  const contacts = useContacts();
  const begun = Date.parse(drill.startedAt);
  const lastOf = new Map<string, number>();
  for (const { custodian, acknowledgedAt } of of.data)
    if (acknowledgedAt !== null) lastOf.set(custodian, Math.max(lastOf.get(custodian) ?? 0, Date.parse(acknowledgedAt)));
  const isDone = (holder: Holder): boolean => holderState(holder) !== 'waiting';
  const done = of.holders.filter(isDone);
  const all = done.length === of.holders.length;
  const after = (at: number | undefined): string => (at === undefined ? '–' : showLength((at - begun) / 1000));
  const last = Math.max(0, ...lastOf.values());
  return (
    <>
      <p class="lead" role="status">
        {of.holders.length === 0
          ? t('Nobody holds any of these goods.')
          : all
            ? t('All {count} holders answered within {time}.', { count: done.length, time: after(last) })
            : t('{done} of {all} holders have answered. The drill runs since {time}.', {
                done: done.length,
                all: of.holders.length,
                time: after(Date.now()),
              })}
      </p>
      <Facts
        of={[
          [t('First answer after'), after(lastOf.size === 0 ? undefined : Math.min(...lastOf.values()))],
          [t('All answered after'), all && last > 0 ? after(last) : t('not yet')],
        ]}
      />
      <Table
        caption={t('Holders and how long they took')}
        rows={of.holders}
        keyOf={({ address }) => address}
        columns={[
          { name: t('Holder'), show: ({ label }) => label },
          { name: t('Lots'), number: true, show: ({ lots }) => showNumber(lots) },
          { name: t('Answered'), number: true, show: ({ acknowledged }) => showNumber(acknowledged) },
          { name: t('State'), show: (holder) => <Status of={holderState(holder)} /> },
          { name: t('Last answer after'), show: ({ address }) => after(lastOf.get(address)) },
          { name: t('Contact'), show: ({ address }) => contactOf(contacts, address) },
        ]}
      />
    </>
  );
}
