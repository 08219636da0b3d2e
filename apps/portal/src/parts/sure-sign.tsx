import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { kept } from '../state/kept';
import { Sign, type Signing, signingKey } from './sign';
import { t } from '../state/language';

interface Sure extends Omit<Signing, 'danger' | 'onRefused'> {
  /** What will be, in words: shown before the button that signs. */
  readonly says: ComponentChildren;
  /** The button that signs, where it is not called like the one that asks. */
  readonly confirm?: string;
}

/** Signs what cannot be undone, or only with effort: first it says what will be. What was signed before a reload is shown at once. */
export function SureSign({ label, says, confirm = label, disabled = false, ...signing }: Sure) {
  const [asking, setAsking] = useState(() => kept(signingKey(signing)) !== null);
  const words = useRef<HTMLDivElement>(null);
  const begin = useRef<HTMLButtonElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    // Not when the page opens: only what the person did moves the focus.
    if (moved.current) (asking ? words.current : begin.current)?.focus();
  }, [asking]);
  const ask = (next: boolean): void => {
    moved.current = true;
    setAsking(next);
  };
  if (!asking)
    return (
      <div class="action">
        <button type="button" class="ask" ref={begin} disabled={disabled} onClick={() => ask(true)}>
          {label} …
        </button>
      </div>
    );
  return (
    <div class="sure-sign" role="group" aria-label={label} tabIndex={-1} ref={words}>
      <div class="says">{says}</div>
      <Sign {...signing} label={confirm} danger disabled={disabled} />
      <button type="button" onClick={() => ask(false)}>
        {t('No, leave it')}
      </button>
    </div>
  );
}
