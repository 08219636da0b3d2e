import '../acting.css';
import { useMemo } from 'preact/hooks';
import type { AcknowledgementsView, RecallView } from '#client';
import { ApiProblem } from '#client';
import { Empty, Facts, Link, LotLink, Section, Show, Status } from '../../parts/basics';
import { showNumber, showTime, words } from '../../state/format';
import { useLoad } from '../../state/load';
import { classOf, recallState } from '../../state/recall-words';
import { api, isAdmin } from '../../state/session';
import { HolderAnswers, LotAnswers, useAnswers } from './answers';
import { lazyPage } from '../../parts/lazy-page';
import { useContacts } from '../../parts/contacts';
import { Lift } from './lift';
import { Notice } from './notice';
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
      holders.map(({ address, label, lots }) => ({
        name: label,
        organisation: contacts?.get(address) ?? null,
        amount: plural(lots, '{count} lot', '{count} lots'),
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

function Recall({ recall, answers, again }: Shown & { readonly recall: RecallView }) {
  const { id, reason, recallClass, reference, depth, propagation, instructions, recalledAt, open, lots, affectedCount } = recall;
  return (
    <>
      <h1>{t('Lots of a recall')}</h1>
      <p class="lead">
        <strong>{reason ?? t('The reason is not known yet.')}</strong> <Status of={recallState(open)} />
      </p>
      <LotAnswers id={id} of={answers} again={again} />
      <HolderAnswers of={answers} />
      <Section title={t('Recall')}>
        <Facts
          of={[
            [t('Class'), classOf(recallClass) ?? t('Not classified yet')],
            [t('Number'), reference],
            [t('Recalled'), showTime(recalledAt)],
            [
              t('Recalled lots'),
              <>
                {lots.slice(0, MANY).map(({ tokenId, tlc }) => (
                  <span key={tokenId}>
                    <LotLink id={tokenId}>{tlc ?? t('lot {id}', { id: String(tokenId) })}</LotLink>{' '}
                  </span>
                ))}
                {lots.length > MANY && plural(lots.length - MANY, 'and {count} more', 'and {count} more')}
              </>,
            ],
            [t('Affected lots'), showNumber(affectedCount)],
            [t('Affected lots now'), translated(PROPAGATIONS[propagation] ?? words(propagation))],
            [t('Taken back down to'), words(depth)],
          ]}
        />
        {instructions && <p class="instructions">{instructions}</p>}
      </Section>
      {lots[0] && (
        <div class="no-print">
          <RoomMap tokenId={lots[0].tokenId} of={answers} />
        </div>
      )}
      <Notice recall={recall} answers={answers} />
      <Timeline recall={recall} answers={answers} />
      {open && isAdmin.value && <Lift recall={recall} again={again} />}
      {!open && <Empty>{t('This recall was lifted: its lots can be used and moved again.')}</Empty>}
    </>
  );
}
