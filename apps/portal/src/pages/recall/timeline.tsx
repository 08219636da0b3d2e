import type { AcknowledgementsView, RecallView } from '#client';
import { Section } from '../../parts/basics';
import { showLength, showNumber, showTime, words } from '../../state/format';

interface Moment {
  readonly at: string;
  readonly what: string;
}

/** What happened when, oldest first, and how long after the recall. */
export function Timeline({ recall, answers }: { readonly recall: RecallView; readonly answers: AcknowledgementsView }) {
  const moments = momentsOf(recall, answers);
  const begun = Date.parse(recall.recalledAt);
  return (
    <Section title="Timeline">
      <ol class="timeline">
        {moments.map(({ at, what }) => (
          <li key={`${at} ${what}`}>
            <time dateTime={at}>{showTime(at)}</time>
            <span>
              {what}
              {Date.parse(at) > begun && <span class="hint"> {showLength((Date.parse(at) - begun) / 1000)} after the recall</span>}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function momentsOf(recall: RecallView, { data, holders }: AcknowledgementsView): readonly Moment[] {
  const nameOf = (address: string): string => holders.find((holder) => holder.address === address)?.label ?? address;
  const count = recall.lots.length;
  const moments: Moment[] = [
    {
      at: recall.recalledAt,
      what: `Recalled: ${count === 1 ? 'one lot' : `${showNumber(count)} lots`}, ${showNumber(recall.affectedCount)} affected`,
    },
  ];
  for (const { acknowledgedAt, custodian, tlc, state } of data)
    if (acknowledgedAt !== null)
      moments.push({ at: acknowledgedAt, what: `${nameOf(custodian)}: lot ${tlc} ${words(state).toLowerCase()}` });
  for (const { tokenId, tlc, liftedAt } of recall.lots)
    if (liftedAt !== null) moments.push({ at: liftedAt, what: `Lifted for lot ${tlc ?? tokenId}` });
  if (recall.holdsReleasedAt !== null) moments.push({ at: recall.holdsReleasedAt, what: 'Holds released' });
  return moments.toSorted((a, b) => a.at.localeCompare(b.at));
}
