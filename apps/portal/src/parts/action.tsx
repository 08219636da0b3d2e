import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useRun } from '../state/run';
import { Problem } from './problem';
import { t } from '../state/language';

/** A button that does one thing; with `sure` it asks first, and says what will be. */
export function Action({
  label,
  run: what,
  sure,
  main = false,
  disabled = false,
}: {
  readonly label: string;
  readonly run: () => Promise<unknown>;
  readonly sure?: string;
  readonly main?: boolean;
  readonly disabled?: boolean;
}) {
  const [asking, setAsking] = useState(false);
  const { busy, error, run } = useRun();
  const act = (): void => {
    setAsking(false);
    void run(what);
  };
  return (
    <div class="action">
      {asking ? (
        <Sure label={label} sure={sure} onYes={act} onNo={() => setAsking(false)} />
      ) : (
        <button
          type="button"
          class={main ? 'main' : undefined}
          disabled={disabled || busy}
          onClick={() => (sure ? setAsking(true) : act())}
        >
          {busy ? `${label} …` : label}
        </button>
      )}
      <Problem of={error} />
    </div>
  );
}

/** Says what will be, and asks. */
function Sure({
  label,
  sure,
  onYes,
  onNo,
}: {
  readonly label: string;
  readonly sure: ComponentChildren;
  readonly onYes: () => void;
  readonly onNo: () => void;
}) {
  const confirm = useRef<HTMLButtonElement>(null);
  useEffect(() => confirm.current?.focus(), []);
  return (
    <div class="sure" role="group" aria-label={label}>
      <span>{sure}</span>
      <button type="button" class="danger" ref={confirm} onClick={onYes}>
        {label}
      </button>
      <button type="button" onClick={onNo}>
        {t('No, leave it')}
      </button>
    </div>
  );
}

/** Fields with one button under them. Enter sends it; what was refused stays as it was typed. With `sure` it asks first. */
export function Form({
  label,
  send,
  sure,
  disabled = false,
  children,
}: {
  readonly label: string;
  readonly send: () => Promise<unknown>;
  readonly sure?: ComponentChildren;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}) {
  const [asking, setAsking] = useState(false);
  const { busy, error, run } = useRun();
  const act = (): void => {
    setAsking(false);
    void run(send);
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (busy || disabled) return;
        if (sure && !asking) setAsking(true);
        else act();
      }}
    >
      {children}
      <div class="action">
        {asking ? (
          <Sure label={label} sure={sure} onYes={act} onNo={() => setAsking(false)} />
        ) : (
          <button type="submit" class="main" disabled={busy || disabled}>
            {busy ? `${label} …` : label}
          </button>
        )}
        <Problem of={error} />
      </div>
    </form>
  );
}
