import { showNumber } from '../state/format';
import type { List } from '../state/list';
import { Problem } from './problem';

/** How much of a list is shown, and a way to the rest of it. */
export function More<T>({ of: { data, more } }: { readonly of: List<T> }) {
  if (!data || !more) return null;
  return (
    <div class="pages">
      <button type="button" disabled={more.busy} onClick={more.ask}>
        {more.busy ? 'Loading …' : 'Show more'}
      </button>
      <span class="hint">
        {showNumber(data.data.length)} of {data.totalIsLowerBound ? 'more than ' : ''}
        {showNumber(data.total)}
      </span>
      <Problem of={more.error} />
    </div>
  );
}
