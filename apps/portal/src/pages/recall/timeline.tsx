import type { AcknowledgementsView, RecallView } from '#client';
import { Section } from '../../parts/basics';
import { showLength, showTime, words } from '../../state/format';
import { affectedOf } from '../../state/recall-words';
import { plural, t } from '../../state/language';

interface Moment {
  readonly at: string;
  readonly what: string;
}

/** What happened when, oldest first, and how long after the recall. */
export function Timeline({ recall, answers }: { readonly recall: RecallView; readonly answers: AcknowledgementsView }) {
  const moments = momentsOf(recall, answers);
  const begun = Date.parse(recall.recalledAt);
  return (
    <Section title={t('Timeline')}>
      <ol class="timeline">
        {moments.map(({ at, what }) => (
          <li key={`${at} ${what}`}>
            <time dateTime={at}>{showTime(at)}</time>
            <span>
              {what}
              {Date.parse(at) > begun && (
                <span class="hint"> {t('{time} after the recall', { time: showLength((Date.parse(at) - begun) / 1000) })}</span>
              )}
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
  const affected = affectedOf(recall);
  const moments: Moment[] = [
    {
      at: recall.recalledAt,
      what:
        affected === null
          ? plural(count, 'Recalled: {count} lot', 'Recalled: {count} lots')
          : t('Recalled: {count} lots, {affected} affected', { count, affected }),
    },
  ];
  for (const { acknowledgedAt, custodian, tlc, state } of data)
    if (acknowledgedAt !== null)
      moments.push({
        at: acknowledgedAt,
        what: t('{holder}: lot {lot}, {state}', { holder: nameOf(custodian), lot: tlc, state: words(state) }),
      });
  for (const { tokenId, tlc, liftedAt, liftReason } of recall.lots)
    if (liftedAt !== null) {
      const what = t('Lifted for lot {lot}', { lot: tlc ?? String(tokenId) });
      moments.push({ at: liftedAt, what: liftReason ? `${what}: ${liftReason}` : what });
    }
  if (recall.holdsReleasedAt !== null) moments.push({ at: recall.holdsReleasedAt, what: t('Holds released') });
  return moments.toSorted((a, b) => a.at.localeCompare(b.at));
}
