import type { AcknowledgementsView, RecallPageView, RecallView } from '#client';
import { classOf } from '../state/recall-words';
import { useLoad } from '../state/load';
import { api, me } from '../state/session';
import { Link } from './basics';
import { Problem } from './problem';
import { t } from '../state/language';

const SHOWN = 5;

interface MyRecall {
  readonly recall: RecallView;
  readonly lots: number;
  readonly open: number;
}

/** Recalls that reach what the person's wallet holds: above everything else, until all is answered. */
export function MyRecalls() {
  const holder = me.value?.wallet;
  const mine = useLoad(`my recalls ${holder}`, async () => (holder ? recallsOf(holder) : []));
  if (mine.error) return <Problem of={mine.error} again={mine.again} />;
  if (!mine.data || mine.data.length === 0) return null;
  return (
    <section class="alarm" aria-label={t('Recalls of your lots')}>
      <h2>{t('Recalled: lots that you hold')}</h2>
      {mine.data.map((one) => (
        <MyRecallWords key={one.recall.id} of={one} />
      ))}
    </section>
  );
}

function MyRecallWords({ of: { recall, lots, open } }: { readonly of: MyRecall }) {
  const { id, reason, recallClass, instructions } = recall;
  const grade = classOf(recallClass);
  return (
    <div class="recall-words">
      <p>
        <strong>{reason ?? t('The reason is not known yet.')}</strong>
        {grade && ` (${grade})`}
      </p>
      {instructions && <p class="instructions">{instructions}</p>}
      <p>
        <Link to={`/recalls/${id}`}>
          {open > 0 ? t('Answer for {open} of your {lots} lots', { open, lots }) : t('You have answered for all {lots} lots', { lots })}
        </Link>
      </p>
    </div>
  );
}

async function recallsOf(holder: string): Promise<readonly MyRecall[]> {
  const { data } = await api().get<RecallPageView>(`/api/v1/recalls?open=true&holder=${holder}&limit=${SHOWN}`);
  return Promise.all(
    data.map(async (recall) => {
      const { holders } = await api().get<AcknowledgementsView>(`/api/v1/recalls/${recall.id}/acknowledgements?limit=1`);
      const own = holders.find(({ address }) => address === holder);
      return { recall, lots: own?.lots ?? 0, open: (own?.lots ?? 0) - (own?.acknowledged ?? 0) };
    }),
  );
}
