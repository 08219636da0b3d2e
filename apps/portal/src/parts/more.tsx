import type { List } from '../state/list';
import { Problem } from './problem';
import { t } from '../state/language';

/** How much of a list is shown, and a way to the rest of it. */
export function More<T>({ of: { data, more } }: { readonly of: List<T> }) {
  if (!data || !more) return null;
  return (
    <div class="pages">
      <button type="button" disabled={more.busy} onClick={more.ask}>
        {more.busy ? t('Loading …') : t('Show more')}
      </button>
      <span class="hint">
        {t(data.totalIsLowerBound ? '{shown} of more than {total}' : '{shown} of {total}', { shown: data.data.length, total: data.total })}
      </span>
      <Problem of={more.error} />
    </div>
  );
}
