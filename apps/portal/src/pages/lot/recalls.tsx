import type { LotView, RecallPageView, RecallView } from '#client';
import { Link, Show } from '../../parts/basics';
import { showTime } from '../../state/format';
import { useLoad } from '../../state/load';
import { classOf } from '../../state/recall-words';
import { api, me } from '../../state/session';
import { t } from '../../state/language';

/** Open recalls that reach a lot: what its holder must know before anything else. */
export function LotRecalls({ lot }: { readonly lot: LotView }) {
  const at = `/api/v1/recalls?open=true&tokenId=${lot.tokenId}&limit=20`;
  const recalls = useLoad(at, () => api().get<RecallPageView>(at));
  const mine = lot.custodian === me.value?.wallet;
  return (
    <section class="alarm" aria-label={t('Recall')}>
      <h2>{lot.recalled ? t('This lot is recalled') : t('This lot is affected by a recall')}</h2>
      <Show what={recalls}>
        {({ data }) => (
          <>
            {data.map((recall) => (
              <RecallWords key={recall.id} recall={recall} answers={mine} />
            ))}
            {data.length === 0 && (
              <p>{t('The recall left the affected lots as they are. Ask who recalled it before you use or move this lot.')}</p>
            )}
          </>
        )}
      </Show>
    </section>
  );
}

/** Why, what to do, and where to say that it was done. */
export function RecallWords({ recall, answers }: { readonly recall: RecallView; readonly answers: boolean }) {
  const { id, reason, recallClass, instructions, recalledAt, reference } = recall;
  const about = [classOf(recallClass), reference, t('since {time}', { time: showTime(recalledAt) })].filter((part) => part !== null);
  return (
    <div class="recall-words">
      <p>
        <strong>{reason ?? t('The reason is not known yet.')}</strong> ({about.join(', ')})
      </p>
      {instructions && <p class="instructions">{instructions}</p>}
      <p>
        <Link to={`/recalls/${id}`}>{answers ? t('Say what you did with your lots') : t('Open the recall')}</Link>
      </p>
    </div>
  );
}
