import { writeNumber } from '../state/numbers.js';
import type { Doubt } from './doubts.js';
import { t } from '../state/language';

/** Asks which of two numbers was meant. */
export function NumberChoice({
  doubt: { typed, readings },
  label,
  onChoose,
}: {
  readonly doubt: Doubt;
  readonly label: string;
  readonly onChoose: (value: number) => void;
}) {
  return (
    <div class="chips" role="group" aria-label={t('Which number is {typed}? {name}', { typed, name: label })}>
      {readings.map((value, index) => (
        <button key={value} type="button" onClick={() => onChoose(value)}>
          {writeNumber(value)} <span class="hint">{t(index === 0 ? 'thousands' : 'decimals')}</span>
        </button>
      ))}
    </div>
  );
}
