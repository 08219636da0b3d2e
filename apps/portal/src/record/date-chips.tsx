import { localTime } from './process.js';
import { type Phrase, phrase, t } from '../state/language';

const MINUTES_OF_DAY = 24 * 60;

const CHOICES: Readonly<Record<string, readonly (readonly [name: Phrase, minutesAgo: number])[]>> = {
  date: [
    [phrase('Today'), 0],
    [phrase('Yesterday'), MINUTES_OF_DAY],
  ],
  'date-time': [
    [phrase('Now'), 0],
    [phrase('An hour ago'), 60],
    [phrase('Yesterday'), MINUTES_OF_DAY],
  ],
};

const ago = (minutes: number): string => localTime(new Date(Date.now() - minutes * 60_000));

/** The dates that people say instead of writing them. */
export function DateChips({
  format,
  label,
  value,
  onChange,
}: {
  readonly format: string | null;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const choices = CHOICES[format ?? ''];
  if (!choices) return null;
  const of = (minutes: number): string => (format === 'date' ? ago(minutes).slice(0, 10) : ago(minutes));
  return (
    <div class="chips" role="group" aria-label={t('When: {name}', { name: label })}>
      {choices.map(([name, minutes]) => (
        <button key={name} type="button" aria-pressed={value === of(minutes)} onClick={() => onChange(of(minutes))}>
          {t(name)}
        </button>
      ))}
    </div>
  );
}
