import type { ComponentChildren } from 'preact';
import { Field } from '../parts/basics';
import { UNITS, words } from '../state/format';
import type { Filled } from './filled.js';
import { type Issue, pointerTo } from './issues.js';
import type { Shape, ShapeField } from './shape.js';

/** What all fields of one form share. */
export interface FormState {
  readonly said: (pointer: string) => readonly Issue[];
  readonly onChange: (path: readonly string[], value: Filled) => void;
  readonly onLeave: (pointer: string) => void;
  /** Names that the process map has for its key data elements, by pointer. */
  readonly names: ReadonlyMap<string, string>;
  /** Known places, for fields that ask for a location. */
  readonly places: readonly { readonly name: string; readonly filledFor: (shape: Shape) => Filled }[];
}

interface Place {
  readonly form: FormState;
  readonly label: string;
  readonly hint: string | null;
  readonly required: boolean;
  /** From the metadata on. */
  readonly path: readonly string[];
  readonly filled: Filled | undefined;
}

const pointerOf = (path: readonly string[]): string => path.reduce(pointerTo, '/metadata');
const textOf = (filled: Filled | undefined): string => (typeof filled === 'string' ? filled : '');
const partOf = (filled: Filled | undefined, key: string): Filled | undefined =>
  typeof filled === 'object' ? (filled as Readonly<Record<string, Filled>>)[key] : undefined;

/** Required fields first; optional ones are collapsed. */
export function Fields({
  form,
  fields,
  either = [],
  path,
  filled,
}: Pick<Place, 'form' | 'path' | 'filled'> & { readonly fields: readonly ShapeField[]; readonly either?: readonly string[] }) {
  const shown = fields.filter(({ shape }) => shape.kind !== 'fixed');
  const wanted = ({ key, required }: ShapeField): boolean => required || either.includes(key);
  const first = shown.filter((field) => wanted(field) || shown.length < 4);
  const others = shown.filter((field) => !first.includes(field));
  const show = (field: ShapeField) => (
    <Entry
      key={field.key}
      form={form}
      shape={field.shape}
      label={form.names.get(pointerOf([...path, field.key])) ?? field.name ?? labelOf(field.key)}
      hint={field.hint}
      required={wanted(field)}
      path={[...path, field.key]}
      filled={partOf(filled, field.key)}
    />
  );
  return (
    <div class="fields">
      {first.map(show)}
      {others.length > 0 && (
        <details class="wide" open={others.some(({ key }) => isBegun(partOf(filled, key)))}>
          <summary>More fields (optional)</summary>
          <div class="fields">{others.map(show)}</div>
        </details>
      )}
    </div>
  );
}

const isBegun = (filled: Filled | undefined): boolean =>
  typeof filled === 'object' ? Object.values(filled).some(isBegun) : Boolean(filled);

const labelOf = (key: string): string =>
  key === 'uom'
    ? 'Unit'
    : key === 'geo'
      ? 'Geographic position'
      : /^(gln|gtin|sscc|cid|url|id|pic)$/.test(key)
        ? key.toUpperCase()
        : words(key);

function Entry({ shape, ...place }: Place & { readonly shape: Shape }) {
  switch (shape.kind) {
    case 'fixed':
      return null;
    case 'object':
      return <Group shape={shape} {...place} />;
    case 'list':
      return <Rows shape={shape} {...place} />;
    case 'tuple':
      return (
        <Fieldset {...place}>
          <Fields form={place.form} fields={shape.items} path={place.path} filled={place.filled} />
        </Fieldset>
      );
    case 'variants':
      return <Variants shape={shape} {...place} />;
    default:
      return <Plain shape={shape} {...place} />;
  }
}

function Fieldset({ form, label, hint, required, path, children }: Place & { readonly children: ComponentChildren }) {
  return (
    <fieldset class="wide part">
      <legend>
        {label}
        {!required && <span class="hint"> (optional)</span>}
      </legend>
      {hint && <p class="hint">{hint}</p>}
      {children}
      <Said of={form.said(pointerOf(path))} />
    </fieldset>
  );
}

function Group({ shape, ...place }: Place & { readonly shape: Shape & { readonly kind: 'object' } }) {
  const { form, path, filled } = place;
  const ways = shape.either.map((keys) =>
    keys.map((key) => labelOf(key).replace(/^[A-Z][a-z]/, (start) => start.toLowerCase())).join(' and '),
  );
  // A point is its coordinates: a frame within a frame would say nothing.
  const free = shape.fields.filter((field) => field.shape.kind !== 'fixed');
  const only = free.length === 1 ? free[0] : undefined;
  const isPlace = shape.fields.some(({ key }) => key === 'gln') && shape.fields.some(({ key }) => key === 'country');
  return (
    <Fieldset {...place} hint={ways.length > 1 ? `Needed: ${ways.join(', or ')}.` : place.hint}>
      {isPlace && form.places.length > 0 && (
        <Field label="Fill in from one of your sites">
          <select
            value=""
            onChange={({ currentTarget }) => {
              const site = form.places[Number(currentTarget.value)];
              if (site) form.onChange(path, site.filledFor(shape));
            }}
          >
            <option value="">Choose a site</option>
            {form.places.map(({ name }, index) => (
              <option key={name} value={index}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      {only?.shape.kind === 'tuple' ? (
        <>
          <Fields form={form} fields={only.shape.items} path={[...path, only.key]} filled={partOf(filled, only.key)} />
          <Said of={form.said(pointerOf([...path, only.key]))} />
        </>
      ) : (
        <Fields form={form} fields={shape.fields} either={shape.either.flat()} path={path} filled={filled} />
      )}
    </Fieldset>
  );
}

function Rows({ shape, ...place }: Place & { readonly shape: Shape & { readonly kind: 'list' } }) {
  const { form, label, path, filled, required } = place;
  const items = Array.isArray(filled) ? (filled as readonly Filled[]) : [];
  const one = label.replace(/s$/, '').toLowerCase();
  return (
    <Fieldset {...place} required={required && shape.least > 0}>
      {items.map((item, index) => (
        <div key={String(index)} class="row">
          <Entry
            form={form}
            shape={shape.item}
            label={`${words(one)} ${index + 1}`}
            hint={null}
            required
            path={[...path, String(index)]}
            filled={item}
          />
          <button
            type="button"
            aria-label={`Remove ${one} ${index + 1}`}
            onClick={() =>
              form.onChange(
                path,
                items.filter((_, other) => other !== index),
              )
            }
          >
            Remove
          </button>
        </div>
      ))}
      {(shape.most === null || items.length < shape.most) && (
        <button type="button" onClick={() => form.onChange([...path, String(items.length)], shape.item.kind === 'object' ? {} : '')}>
          Add {/^[aeiou]/.test(one) ? 'an' : 'a'} {one}
        </button>
      )}
    </Fieldset>
  );
}

function Variants({ shape, ...place }: Place & { readonly shape: Shape & { readonly kind: 'variants' } }) {
  const { form, label, path, filled, required } = place;
  const chosen = shape.of[Number(textOf(partOf(filled, 'variant')) || Number.NaN)];
  // Issues point into the document, which does not contain the choice itself.
  const inner: FormState = {
    ...form,
    onChange: (at, value) => form.onChange([...path, 'value', ...at.slice(path.length)], value),
  };
  return (
    <Fieldset {...place}>
      <Field label={`Type of ${label.toLowerCase()}`}>
        <select
          value={textOf(partOf(filled, 'variant'))}
          onChange={({ currentTarget }) => form.onChange(path, { variant: currentTarget.value })}
        >
          <option value="">{required ? 'Choose' : 'None'}</option>
          {shape.of.map(({ label: name }, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      {chosen && (
        <Entry form={inner} shape={chosen.shape} label={chosen.label} hint={null} required path={path} filled={partOf(filled, 'value')} />
      )}
    </Fieldset>
  );
}

function Said({ of }: { readonly of: readonly Issue[] }) {
  return (
    <>
      {of.map(({ message, severity }) => (
        <p key={message} class={severity === 'error' ? 'error' : 'hint'}>
          {message}
        </p>
      ))}
    </>
  );
}

type PlainShape = Exclude<Shape, { readonly kind: 'object' | 'list' | 'tuple' | 'variants' | 'fixed' }>;

function Plain({ form, shape, label, hint, required, path, filled }: Place & { readonly shape: PlainShape }) {
  const pointer = pointerOf(path);
  const said = form.said(pointer);
  const rule = shape.kind === 'text' || shape.kind === 'number' ? shape.rule : null;
  const isUnit = path.at(-1) === 'uom';
  const help = isUnit
    ? ''
    : shape.kind === 'area'
      ? 'One corner per line: longitude and latitude'
      : [hint, rule].filter(Boolean).join('. ');
  return (
    <Field
      label={required ? label : `${label} (optional)`}
      hint={help || undefined}
      error={said.map(({ message }) => message).join('; ') || undefined}
    >
      <Control
        shape={shape}
        name={path.at(-1)!}
        value={textOf(filled)}
        wrong={said.length > 0}
        onChange={(value) => form.onChange(path, value)}
        onLeave={() => form.onLeave(pointer)}
      />
    </Field>
  );
}

const DATES: Readonly<Record<string, 'date' | 'datetime-local'>> = { date: 'date', 'date-time': 'datetime-local' };
const LONG = 300;

function Control({
  shape,
  name,
  value,
  wrong,
  onChange,
  onLeave,
}: {
  readonly shape: PlainShape;
  readonly name: string;
  readonly value: string;
  readonly wrong: boolean;
  readonly onChange: (value: string) => void;
  readonly onLeave: () => void;
}) {
  const common = { value, 'aria-invalid': wrong, onBlur: onLeave, spellcheck: false, autocomplete: 'off' } as const;
  const choose = (options: readonly (readonly [value: string, label: string])[]) => (
    <select {...common} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">Choose</option>
      {options.map(([key, label]) => (
        <option key={key} value={key}>
          {label}
        </option>
      ))}
    </select>
  );
  if (name === 'uom') return choose(unitsWith(value));
  if (shape.kind === 'choice')
    return choose(shape.of.map((one) => [String(one), /^[A-Z]+\d|\d/.test(String(one)) ? String(one) : wordsOrUnit(String(one))]));
  if (shape.kind === 'yesNo')
    return choose([
      ['true', 'Yes'],
      ['false', 'No'],
    ]);
  if (shape.kind === 'area' || shape.kind === 'json' || (shape.kind === 'text' && (shape.maxLength ?? 0) > LONG))
    return <textarea rows={3} {...common} onInput={({ currentTarget }) => onChange(currentTarget.value)} />;
  // The kinds of fields that carry text and dates take these attributes alike.
  const type = (shape.kind === 'text' ? (DATES[shape.format ?? ''] ?? 'text') : 'text') as 'text';
  return (
    <input
      type={type}
      {...(shape.kind === 'number' && { inputMode: 'decimal' as const })}
      {...common}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** `kgCO2e` and `kWh` stay as they are; `alternate_wetting_drying` becomes words. */
const wordsOrUnit = (text: string): string => (/_|^[a-z]{4,}$/.test(text) || /^[A-Z_]{4,}$/.test(text) ? words(text) : text);

const unitsWith = (value: string): readonly (readonly [string, string])[] =>
  Object.entries(value in UNITS || value === '' ? UNITS : { ...UNITS, [value]: value }).map(([code, name]) => [code, `${name} (${code})`]);
