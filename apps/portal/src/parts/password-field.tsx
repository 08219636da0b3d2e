import { useState } from 'preact/hooks';
import { t } from '../state/language';
import { Field } from './basics';

/** A password that may be shown while it is typed: nobody has to type it twice. */
export function PasswordField({
  label,
  hint,
  value,
  onChange,
  isNew = false,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isNew?: boolean;
}) {
  const [shown, setShown] = useState(false);
  return (
    <div class="stack">
      <Field label={label} hint={hint}>
        <input
          autocomplete={isNew ? 'new-password' : 'current-password'}
          autocapitalize="off"
          spellcheck={false}
          required
          minLength={isNew ? 8 : undefined}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          {...({ type: shown ? 'text' : 'password' } as { readonly type: 'password' })}
        />
      </Field>
      {isNew && (
        <label class="tick">
          <input type="checkbox" checked={shown} onChange={({ currentTarget }) => setShown(currentTarget.checked)} />
          <span>{t('Show the password')}</span>
        </label>
      )}
    </div>
  );
}
