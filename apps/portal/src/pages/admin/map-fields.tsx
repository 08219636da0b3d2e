import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Action } from '../../parts/action';
import { Field } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { words } from '../../state/format';
import { type Phrase, phrase, t } from '../../state/language';
import type { Schema } from '../../record/shape';
import { FIELD_TYPES, type FieldDraft, type FieldType, fieldsIn, groupIn, withField, withGroup, withoutField } from './map-draft';

const TYPES: Readonly<Record<FieldType, Phrase>> = {
  text: phrase('Text'),
  number: phrase('A number'),
  integer: phrase('A whole number'),
  date: phrase('Date'),
  boolean: phrase('Yes or no'),
  choice: phrase('One of a list'),
  group: phrase('Group of fields'),
  other: phrase('Something else'),
};

/** What processes share. */
export interface SharedParts {
  readonly defs: Readonly<Record<string, Schema>>;
  /** Which processes use the part. */
  readonly usersOf: (name: string) => readonly string[];
  readonly onChange: (name: string, schema: Schema) => void;
}

interface Fields {
  readonly schema: Schema;
  readonly onChange: (schema: Schema) => void;
  readonly shared: SharedParts;
}

/** What a process asks for. */
export function MapFields({ schema, onChange, shared }: Fields) {
  return (
    <>
      <ul class="mapping">
        {fieldsIn(schema).map((field) => (
          <li key={field.key}>
            <OneField
              of={field}
              isGroup={groupIn(schema, field.key, shared.defs) !== null}
              onChange={(next) => onChange(withField(schema, next))}
            >
              <GroupFields key={field.key} of={field.key} schema={schema} onChange={onChange} shared={shared} />
            </OneField>
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

/** The fields of a group, folded away. */
function GroupFields({ of: key, schema, onChange, shared }: Fields & { readonly of: string }) {
  // A group may have itself as a part: its fields are drawn when it is opened.
  const [isOpen, setIsOpen] = useState(false);
  const group = groupIn(schema, key, shared.defs);
  if (!group) return null;
  const change = (inner: Schema): void =>
    group.shared === null ? onChange(withGroup(schema, key, group, inner)) : shared.onChange(group.shared, inner);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('Fields of {name}', { name: words(key) })}</summary>
      {group.shared !== null && (
        <p class="notice">
          {t('These fields are shared. A change is one in each of these processes: {processes}.', {
            processes: shared.usersOf(group.shared).join(', '),
          })}
        </p>
      )}
      {isOpen && <MapFields schema={group.schema} onChange={change} shared={shared} />}
    </details>
  );
}

function OneField({
  of: field,
  isGroup,
  onChange,
  children,
}: {
  readonly of: FieldDraft;
  /** It has fields of its own, wherever they are written. */
  readonly isGroup: boolean;
  readonly onChange: (next: FieldDraft) => void;
  readonly children: ComponentChildren;
}) {
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
          of={offered.map((one) => [one, t(TYPES[one === 'other' && isGroup ? 'group' : one])] as const)}
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
      {children}
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
