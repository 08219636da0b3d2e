import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Field } from './basics';
import { translated } from '../state/language';

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
}

export function Text({
  label,
  hint,
  value,
  onChange,
  type = 'text',
  ...rest
}: Labelled & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'email' | 'url' | 'number' | 'date' | 'datetime-local' | 'search';
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
}) {
  return (
    <Field label={label} hint={hint}>
      <input
        value={value}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        // The kinds of fields for texts, dates and numbers take these attributes alike.
        {...({ type, ...rest } as { readonly type: 'text' })}
      />
    </Field>
  );
}

export type Choice = readonly [value: string, name: string];

export function Select({
  label,
  hint,
  value,
  of,
  none,
  onChange,
}: Labelled & {
  readonly value: string;
  readonly of: readonly Choice[];
  /** How choosing nothing is called; without it something is always chosen. */
  readonly none?: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {of.map(([key, name]) => (
          <option key={key} value={key}>
            {translated(name)}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Checks({
  label,
  hint,
  of,
  chosen,
  onChange,
  children,
}: Labelled & {
  readonly of: readonly (Choice | readonly [value: string, name: string, about: string])[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
  readonly children?: ComponentChildren;
}) {
  return (
    <fieldset class="checks">
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      {of.map(([value, name, about]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) => onChange(currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))}
          />
          <span>
            {translated(name)}
            {about && <span class="hint"> {translated(about)}</span>}
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  );
}

/** Says what was typed when the typing pauses. */
export function SlowText({ value, onChange, ...rest }: Parameters<typeof Text>[0]) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    const timer = setTimeout(() => text !== value && onChange(text), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return <Text {...rest} value={text} onChange={setText} />;
}
