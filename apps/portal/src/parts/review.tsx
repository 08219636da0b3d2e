import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../state/language';

export interface Reviewing {
  /** The button that asks. */
  readonly label: string;
  /** What will be, in words: shown before anything that signs. */
  readonly says: ComponentChildren;
  /** It cannot be undone, or only with effort. */
  readonly final?: boolean;
  readonly disabled?: boolean;
}

/** First says what will be, then shows what does it. `close` takes the words away again. */
export function Review({
  label,
  says,
  final = false,
  disabled = false,
  begun = false,
  children,
}: Reviewing & { readonly begun?: boolean; readonly children: (close: () => void) => ComponentChildren }) {
  const [asking, setAsking] = useState(begun);
  const [done, setDone] = useState(false);
  const words = useRef<HTMLDivElement>(null);
  const begin = useRef<HTMLButtonElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    // Not when the page opens: only what the person did moves the focus.
    if (moved.current) (asking ? words.current : begin.current)?.focus();
  }, [asking]);
  const ask = (next: boolean, isDone = false): void => {
    moved.current = true;
    setAsking(next);
    setDone(isDone);
  };
  if (!asking)
    return (
      <div class="action">
        <button type="button" class={final ? 'ask' : 'main'} ref={begin} disabled={disabled} onClick={() => ask(true)}>
          {label} …
        </button>
        <span role="status">{done ? t('Landed.') : ''}</span>
      </div>
    );
  return (
    <div class={final ? 'review final' : 'review'} role="group" aria-label={label} tabIndex={-1} ref={words}>
      <div class="says">{says}</div>
      {children(() => ask(false, true))}
      <button type="button" onClick={() => ask(false)}>
        {t('No, leave it')}
      </button>
    </div>
  );
}
