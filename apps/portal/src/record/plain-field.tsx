import { Field } from '../parts/basics';
import { UNITS, words } from '../state/format';
import { writeNumber } from '../state/numbers.js';
import { readCode } from '../scan/code.js';
import { ScanButton } from '../scan/scan-button';
import { countryName, countryOf } from './countries.js';
import { DateChips } from './date-chips';
import { NumberChoice } from './number-choice';
import { LIST_OF_COUNTRIES } from './country-list';
import { type Place, pointerOf, textOf } from './form-state.js';
import type { Shape } from './shape.js';
import { inWords, unitOf } from './words.js';
import { t, translated } from '../state/language';

type PlainShape = Exclude<Shape, { readonly kind: 'object' | 'list' | 'tuple' | 'variants' | 'fixed' }>;

/** Codes that are printed on the goods. */
const isScanned = (name: string): name is 'sscc' | 'gtin' | 'serial' => /^(sscc|gtin|serial)$/.test(name);

const isCountry = (name: string, shape: PlainShape): boolean => name === 'country' && shape.kind === 'text';

/** A field that takes one value. */
export function Plain({ form, shape, label, hint, required, path, filled }: Place & { readonly shape: PlainShape }) {
  const pointer = pointerOf(path);
  const name = path.at(-1)!;
  const value = textOf(filled);
  const said = form.said(pointer).filter(({ severity }) => severity === 'error');
  const advice = form.said(pointer).filter(({ severity }) => severity !== 'error');
  const doubt = form.doubts.get(pointer);
  const change = (text: string): void => form.onChange(path, text);
  return (
    <div class="answer">
      <Field
        label={required ? label : t('{name} (optional)', { name: label })}
        hint={hintOf(shape, name, value, hint) || undefined}
        error={said.map(({ message }) => inWords(message)).join('; ') || undefined}
      >
        <Control
          shape={shape}
          name={name}
          value={value}
          wrong={said.length > 0}
          onChange={change}
          onLeave={() => {
            if (isCountry(name, shape)) change(countryOf(value));
            form.onLeave(pointer);
          }}
        />
      </Field>
      {shape.kind === 'text' && isScanned(name) && (
        <ScanButton
          label={t('Scan: {name}', { name: label })}
          onCode={(text) => {
            const code = readCode(text);
            change(code[name] ?? text);
          }}
        />
      )}
      {advice.map(({ message }) => (
        <p key={message} class="advice">
          {inWords(message)}
        </p>
      ))}
      {doubt && said.length > 0 && <NumberChoice doubt={doubt} label={label} onChoose={(read) => change(writeNumber(read))} />}
      {shape.kind === 'text' && <DateChips format={shape.format} label={label} value={value} onChange={change} />}
    </div>
  );
}

function hintOf(shape: PlainShape, name: string, value: string, hint: string | null): string {
  if (name === 'uom') return '';
  if (shape.kind === 'area') return t('One corner per line: longitude and latitude');
  if (isCountry(name, shape)) return countryName(value) ?? t('Two letters, as in VN');
  const rule = shape.kind === 'text' || shape.kind === 'number' ? shape.rule : null;
  return [hint, rule].filter(Boolean).join('. ');
}

const DATES: Readonly<Record<string, 'date' | 'datetime-local'>> = { date: 'date', 'date-time': 'datetime-local' };
const LONG = 300;

interface ControlProps {
  readonly shape: PlainShape;
  readonly name: string;
  readonly value: string;
  readonly wrong: boolean;
  readonly onChange: (value: string) => void;
  readonly onLeave: () => void;
}

function Control({ shape, name, value, wrong, onChange, onLeave }: ControlProps) {
  const common = { value, 'aria-invalid': wrong, onBlur: onLeave, spellcheck: false, autocomplete: 'off' } as const;
  const choices = choicesOf(shape, name, value);
  if (choices)
    return (
      <select {...common} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{t('Choose')}</option>
        {choices.map(([key, label]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
    );
  if (shape.kind === 'area' || shape.kind === 'json' || (shape.kind === 'text' && (shape.maxLength ?? 0) > LONG))
    return <textarea rows={3} {...common} onInput={({ currentTarget }) => onChange(currentTarget.value)} />;
  // The kinds of fields that carry text and dates take these attributes alike.
  const type = (shape.kind === 'text' ? (DATES[shape.format ?? ''] ?? 'text') : 'text') as 'text';
  const unit = shape.kind === 'number' ? unitOf(name) : null;
  return (
    <span class={unit ? 'with-unit' : 'only'}>
      <input
        type={type}
        {...(shape.kind === 'number' && { inputMode: 'decimal' as const })}
        {...(isCountry(name, shape) && { list: LIST_OF_COUNTRIES })}
        {...common}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {unit && <span class="unit">{unit}</span>}
    </span>
  );
}

function choicesOf(shape: PlainShape, name: string, value: string): readonly (readonly [value: string, label: string])[] | null {
  if (name === 'uom') return unitsWith(value);
  if (shape.kind === 'choice')
    return shape.of.map((one) => [String(one), /^[A-Z]+\d|\d/.test(String(one)) ? String(one) : wordsOrUnit(String(one))]);
  if (shape.kind === 'yesNo')
    return [
      ['true', t('Yes')],
      ['false', t('No')],
    ];
  return null;
}

/** `kgCO2e` and `kWh` stay as they are; `alternate_wetting_drying` becomes words. */
const wordsOrUnit = (text: string): string => (/_|^[a-z]{4,}$/.test(text) || /^[A-Z_]{4,}$/.test(text) ? words(text) : text);

const unitsWith = (value: string): readonly (readonly [string, string])[] =>
  Object.entries(value in UNITS || value === '' ? UNITS : { ...UNITS, [value]: value }).map(([code, name]) => [
    code,
    `${translated(name)} (${code})`,
  ]);
