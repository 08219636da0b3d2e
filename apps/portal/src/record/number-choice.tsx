import { writeNumber } from '../state/numbers.js';
import type { Doubt } from './doubts.js';

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
    <div class="chips" role="group" aria-label={`Which number is ${typed}? ${label}`}>
      {readings.map((value, index) => (
        <button key={value} type="button" onClick={() => onChoose(value)}>
          {writeNumber(value)} <span class="hint">{index === 0 ? 'thousands' : 'decimals'}</span>
        </button>
      ))}
    </div>
  );
}
