import type { EventPageView } from '#client';
import { showTime } from '../state/format';
import { orKept } from '../state/kept-answer';
import { useLoad } from '../state/load';
import { api, me } from '../state/session';
import type { EventDraft } from './draft.js';
import type { Process } from './process.js';
import { type LastEvent, sameAgain } from './same-again.js';
import { t } from '../state/language';

/** The last event of this process that the person's organisation recorded; null where there is none that they may read. */
export function useLastEvent({ processType }: Process): LastEvent | null {
  const orgId = me.value?.orgId ?? '';
  const { data } = useLoad(
    `last ${processType} ${orgId}`,
    orKept(`last ${processType}`, async () => {
      const query = new URLSearchParams({ processType, limit: '1', ...(orgId && { orgId }) });
      return (await api().get<EventPageView>(`/api/v1/events?${query.toString()}`)).data[0] ?? null;
    }),
  );
  return data?.metadata ? data : null;
}

/** One tap for what is as it was the last time. */
export function SameAsLast({
  process,
  last,
  draft,
  onChange,
}: {
  readonly process: Process;
  readonly last: LastEvent;
  readonly draft: EventDraft;
  readonly onChange: (draft: EventDraft) => void;
}) {
  return (
    <p class="again">
      <button type="button" class="large" onClick={() => onChange(sameAgain(process, draft, last, new Date()))}>
        {t('Same as last time')}
      </button>{' '}
      <span class="hint">{showTime(last.eventTime)}</span>
    </p>
  );
}
