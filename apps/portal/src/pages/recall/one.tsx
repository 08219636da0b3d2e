import '../acting.css';
import '../work.css';
import { useMemo } from 'preact/hooks';
import type { AcknowledgementsView, RecallView } from '#client';
import { ApiProblem } from '#client';
import { Facts, Link, LotLink, Section, Show } from '../../parts/basics';
import { showNumber, showTime, words } from '../../state/format';
import { useLoad } from '../../state/load';
import { affectedOf, classOf, recallState, showAmounts } from '../../state/recall-words';
import { api, isAdmin } from '../../state/session';
import { HolderAnswers, LotAnswers, useAnswers } from './answers';
import { lazyPage } from '../../parts/lazy-page';
import { nameIn, useContacts } from '../../parts/contacts';
import { Lift } from './lift';
import { AuditReport, Notice } from './notice';
import { Timeline } from './timeline';
import { phrase, plural, t, translated } from '../../state/language';

const LotMap = lazyPage(() => import('../../map/lot-map'));

const MANY = 20;
const PROPAGATIONS: Readonly<Record<string, string>> = {
  none: phrase('Nothing'),
  flag: phrase('They are flagged'),
  hold: phrase('They are on hold'),
  recall: phrase('They are recalled'),
};

/** One recall, or a drill that asks holders: what it is, who has answered, and what happened when. */
export default function RecallRoom({ id }: { readonly id: string }) {
  const answers = useAnswers(id);
  const recall = useLoad(`recall ${id}`, () =>
    api()
      .get<RecallView>(`/api/v1/recalls/${id}`)
      .catch((problem: unknown) => {
        // A drill is answered at the same address.
        if (problem instanceof ApiProblem && problem.status === 404) return 'drill' as const;
        throw problem;
      }),
  );
  return (
    <>
      <p class="no-print">
        <Link to="/recalls">{t('All recalls and drills')}</Link>
      </p>
      <Show what={answers}>
        {(given) => (
          <Show what={recall}>
            {(shown) =>
              shown === 'drill' ? (
                <Drill id={id} answers={given} again={answers.again} />
              ) : (
                <Recall
                  recall={shown}
                  answers={given}
                  again={() => {
                    answers.again();
                    recall.again();
                  }}
                />
              )
            }
          </Show>
        )}
      </Show>
    </>
  );
}

interface Shown {
  readonly answers: AcknowledgementsView;
  readonly again: () => void;
}

/** Who has the goods, on the map of the first recalled lot. */
function RoomMap({ tokenId, of: { holders } }: { readonly tokenId: number; readonly of: AcknowledgementsView }) {
  const contacts = useContacts();
  const shown = useMemo(
    () =>
      holders.map(({ address, label, lots, held }) => ({
        name: label,
        organisation: contacts?.get(address) ?? null,
        amount: [plural(lots, '{count} lot', '{count} lots'), showAmounts(held)].filter(Boolean).join(': '),
      })),
    [holders, contacts],
  );
  return <LotMap tokenId={tokenId} holders={shown} />;
}

function Drill({ id, answers, again }: Shown & { readonly id: string }) {
  return (
    <>
      <h1>{t('Lots of a drill')}</h1>
      <p class="notice">{t('This is a drill: nothing was recalled. Answer as if it were a recall.')}</p>
      <p>
        <Link to={`/recalls/drills/${id}`}>{t('Report of this drill')}</Link>
      </p>
      <LotAnswers id={id} of={answers} again={again} />
      <HolderAnswers of={answers} />
    </>
  );
}

const titleOf = ({ lots, reference }: RecallView): string => {
  const [first] = lots;
  if (!first) return reference ? t('Recall {lot}', { lot: reference }) : t('Recall');
  const lot = first.tlc ?? t('lot {id}', { id: String(first.tokenId) });
  const title = t('Recall of {lot}', { lot });
  return lots.length === 1 ? title : `${title} ${plural(lots.length - 1, 'and {count} more', 'and {count} more')}`;
};

/** Who took it back, and why: each lifting once. */
function Lifted({ lots }: { readonly lots: RecallView['lots'] }) {
  const contacts = useContacts();
  const liftings = new Map(lots.map((lot) => [`${lot.liftedAt} ${lot.liftedBy} ${lot.liftReason}`, lot]));
  return (
    <div class="notice">
      <p>{t('This recall was lifted: its lots can be used and moved again.')}</p>
      {[...liftings].map(([key, { liftedAt, liftedBy, liftReason }]) => (
        <p key={key}>
          {t('Lifted on {time} by {who}.', { time: showTime(liftedAt), who: liftedBy === null ? '–' : nameIn(contacts, liftedBy) })}{' '}
          <strong>{liftReason}</strong>
        </p>
      ))}
    </div>
  );
}

function Recall({ recall, answers, again }: Shown & { readonly recall: RecallView }) {
  const { id, reason, recallClass, reference, depth, propagation, instructions, recalledAt, open, lots } = recall;
  const affected = affectedOf(recall);
  return (
    <>
      <h1>{titleOf(recall)}</h1>
      <p class="lead">
        <strong>{reason ?? t('The reason is not known yet.')}</strong>{' '}
        <span class={open && recallClass === 'I' ? 'status status-recalled' : 'status'}>{words(recallState(open))}</span>
      </p>
      {!open && <Lifted lots={lots} />}
      <LotAnswers id={id} of={answers} over={!open} again={again} />
      <HolderAnswers of={answers} over={!open} />
      <Section title={t('Recall')}>
        <Facts
          of={(
            [
              [t('Class'), classOf(recallClass) ?? t('Not classified yet')],
              [t('Number'), reference],
              [t('Recalled'), showTime(recalledAt)],
              [
                t('Recalled lots'),
                <>
                  {lots.slice(0, MANY).map(({ tokenId, tlc }, i) => (
                    <span key={tokenId}>
                      {i > 0 && ', '}
                      <LotLink id={tokenId}>{tlc ?? t('lot {id}', { id: String(tokenId) })}</LotLink>
                    </span>
                  ))}
                  {lots.length > MANY && ' '}
                  {lots.length > MANY && plural(lots.length - MANY, 'and {count} more', 'and {count} more')}
                </>,
              ],
              [t('Affected lots'), affected === null ? null : showNumber(affected)],
              [t('Affected lots now'), open ? translated(PROPAGATIONS[propagation] ?? words(propagation)) : null],
              [t('Taken back down to'), depth && words(depth)],
            ] as const
          ).filter(([, value]) => value !== null)}
        />
        {instructions && <p class="instructions">{instructions}</p>}
      </Section>
      {open && lots[0] && (
        <div class="no-print">
          <RoomMap tokenId={lots[0].tokenId} of={answers} />
        </div>
      )}
      {open ? <Notice recall={recall} answers={answers} /> : <AuditReport id={id} />}
      <Timeline recall={recall} answers={answers} />
      {open && isAdmin.value && <Lift recall={recall} again={again} />}
    </>
  );
}
