import type { AcknowledgementsView, DrillView } from '#client';
import { Facts, Link, Section, Show, Status, Table } from '../../parts/basics';
import { contactOf, useContacts } from '../../parts/contacts';
import { showLength, showNumber } from '../../state/format';
import { useAnswers } from './answers';

type Holder = AcknowledgementsView['holders'][number];

/** How long people took, from the start of the drill to the last answer of each holder. */
export function People({ drill }: { readonly drill: DrillView }) {
  const answers = useAnswers(drill.id);
  return (
    <Section title="People" aside={<Link to={`/recalls/${drill.id}`}>Lots and answers</Link>}>
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
  const isDone = ({ lots, acknowledged }: Holder): boolean => acknowledged >= lots;
  const done = of.holders.filter(isDone);
  const all = done.length === of.holders.length;
  const after = (at: number | undefined): string => (at === undefined ? '–' : showLength((at - begun) / 1000));
  const last = Math.max(0, ...lastOf.values());
  return (
    <>
      <p class="lead" role="status">
        {of.holders.length === 0
          ? 'Nobody holds any of these goods.'
          : all
            ? `All ${showNumber(done.length)} holders confirmed within ${after(last)}.`
            : `${showNumber(done.length)} of ${showNumber(of.holders.length)} holders have confirmed. The drill runs since ${after(Date.now())}.`}
      </p>
      <Facts
        of={[
          ['First answer after', after(lastOf.size === 0 ? undefined : Math.min(...lastOf.values()))],
          ['All answered after', all && last > 0 ? after(last) : 'not yet'],
        ]}
      />
      <Table
        caption="Holders and how long they took"
        rows={of.holders}
        keyOf={({ address }) => address}
        columns={[
          { name: 'Holder', show: ({ label }) => label },
          { name: 'Lots', number: true, show: ({ lots }) => showNumber(lots) },
          { name: 'Answered', number: true, show: ({ acknowledged }) => showNumber(acknowledged) },
          { name: 'State', show: (holder) => <Status of={isDone(holder) ? 'confirmed' : 'waiting'} /> },
          { name: 'Last answer after', show: ({ address }) => after(lastOf.get(address)) },
          { name: 'Contact', show: ({ address }) => contactOf(contacts, address) },
        ]}
      />
    </>
  );
}
