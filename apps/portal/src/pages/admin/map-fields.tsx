import { useState } from 'preact/hooks';
import { Action } from '../../parts/action';
import { Field } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { words } from '../../state/format';
import { type Phrase, phrase, t } from '../../state/language';
import type { Schema } from '../../record/shape';
import { FIELD_TYPES, type FieldDraft, type FieldType, fieldsIn, withField, withoutField } from './map-draft';

const TYPES: Readonly<Record<FieldType, Phrase>> = {
  text: phrase('Text'),
  number: phrase('A number'),
  integer: phrase('A whole number'),
  date: phrase('Date'),
  boolean: phrase('Yes or no'),
  choice: phrase('One of a list'),
  other: phrase('Group of fields'),
};

/** What a process asks for. */
export function MapFields({ schema, onChange }: { readonly schema: Schema; readonly onChange: (schema: Schema) => void }) {
  return (
    <>
      <ul class="mapping">
        {fieldsIn(schema).map((field) => (
          <li key={field.key}>
            <OneField of={field} onChange={(next) => onChange(withField(schema, next))} />
            <Action
              label={t('Remove {name}', { name: words(field.key) })}
              sure={t('New events do not have this value any more. Recorded events keep it.')}
              run={() => Promise.resolve(onChange(withoutField(schema, field.key)))}
            />
          </li>
        ))}
      </ul>
      <AddField taken={Object.keys(schema.properties ?? {})} onAdd={(field) => onChange(withField(schema, field))} />
    </>
  );
}

function OneField({ of: field, onChange }: { readonly of: FieldDraft; readonly onChange: (next: FieldDraft) => void }) {
  const { key, type, required } = field;
  const name = words(key);
  const set = (change: Partial<FieldDraft>): void => onChange({ ...field, ...change });
  const offered = FIELD_TYPES.filter((one) => (type === 'other' ? one === 'other' : one !== 'other'));
  return (
    <fieldset class="part">
      <legend>{name}</legend>
      <div class="fields">
        <Select
          label={t('Kind of value')}
          of={offered.map((one) => [one, t(TYPES[one])] as const)}
          value={type}
          onChange={(next) => set({ type: next as FieldType })}
        />
        {type !== 'other' && <Text label={t('Explanation')} value={field.description} onChange={(description) => set({ description })} />}
        {(type === 'number' || type === 'integer') && (
          <>
            <Text label={t('At least')} value={field.minimum} onChange={(minimum) => set({ minimum })} />
            <Text label={t('At most')} value={field.maximum} onChange={(maximum) => set({ maximum })} />
          </>
        )}
        {type === 'choice' && (
          <Field label={t('Values, one a line')}>
            <textarea
              rows={3}
              onChange={({ currentTarget }) =>
                set({
                  choices: currentTarget.value
                    .split('\n')
                    .map((one) => one.trim())
                    .filter(Boolean),
                })
              }
            >
              {field.choices.join('\n')}
            </textarea>
          </Field>
        )}
      </div>
      <label class="tick">
        <input type="checkbox" checked={required} onChange={({ currentTarget }) => set({ required: currentTarget.checked })} />
        <span>{t('Required')}</span>
      </label>
    </fieldset>
  );
}

const EMPTY: FieldDraft = { key: '', type: 'text', required: false, description: '', choices: [], minimum: '', maximum: '' };

function AddField({ taken, onAdd }: { readonly taken: readonly string[]; readonly onAdd: (field: FieldDraft) => void }) {
  const [name, setName] = useState('');
  const key = keyOf(name);
  const add = (): void => {
    onAdd({ ...EMPTY, key });
    setName('');
  };
  return (
    <div class="row">
      <div class="grow">
        <Text
          label={t('Name of a new field')}
          hint={key === '' ? undefined : t('Its key in events: {key}', { key })}
          value={name}
          onChange={setName}
        />
      </div>
      <button type="button" disabled={key === '' || taken.includes(key)} onClick={add}>
        {t('Add the field')}
      </button>
    </div>
  );
}

/** `Brix value` becomes `brixValue`. */
const keyOf = (name: string): string => {
  const parts = name
    .trim()
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const joined = parts
    .map((part, index) => (index === 0 ? part.charAt(0).toLowerCase() : part.charAt(0).toUpperCase()) + part.slice(1))
    .join('');
  return /^[a-z]/.test(joined) ? joined : '';
};
