import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Field } from '../parts/basics';
import { words } from '../state/format';
import { DocumentUpload } from './documents';
import { type Filled, documentOf, filledOf } from './filled.js';
import { type FormState, type Place, partOf, pointerOf, textOf } from './form-state.js';
import type { Issue } from './issues.js';
import { PlaceChoice, positionFilled } from './place-choice';
import { Plain } from './plain-field';
import { brief } from './brief.js';
import type { Shape, ShapeField } from './shape.js';
import { inSentence, inWords, labelOf } from './words.js';
import { t } from '../state/language';

/** Required fields first; optional ones are collapsed. */
export function Fields({
  form,
  fields,
  either = [],
  path,
  filled,
}: Pick<Place, 'form' | 'path' | 'filled'> & { readonly fields: readonly ShapeField[]; readonly either?: readonly string[] }) {
  const shown = fields.filter(({ shape }) => shape.kind !== 'fixed');
  const wanted = ({ key, required }: ShapeField): boolean => required || either.includes(key) || form.needed.has(pointerOf([...path, key]));
  const isOpen = (field: ShapeField): boolean =>
    isDocuments([...path, field.key]) || (wanted(field) && !isKnown(field, partOf(filled, field.key)));
  const first = shown.filter((field) => shown.length < 4 || isOpen(field));
  const others = shown.filter((field) => !first.includes(field));
  const labelled = ({ key, name }: ShapeField): string => form.names.get(pointerOf([...path, key])) ?? name ?? labelOf(key);
  const show = (field: ShapeField) => (
    <Entry
      key={field.key}
      form={form}
      shape={field.shape}
      label={labelled(field)}
      hint={field.hint}
      required={wanted(field)}
      path={[...path, field.key]}
      filled={partOf(filled, field.key)}
    />
  );
  return (
    <div class={isAmount(shown) ? 'fields amount' : 'fields'}>
      {first.map(show)}
      {others.length > 0 && (
        <details class="wide">
          <summary>
            {t('More fields (optional)')}
            <span class="hint">{namesOfBegun(others.filter(({ key }) => isBegun(partOf(filled, key))).map(labelled))}</span>
          </summary>
          <div class="fields">{others.map(show)}</div>
        </details>
      )}
    </div>
  );
}

/** A number and its unit are next to each other, on a phone too. */
const isAmount = (fields: readonly ShapeField[]): boolean =>
  fields.length === 2 && fields.some(({ key }) => key === 'uom' || key === 'unit');

/** The device says it; nobody types it. */
const isKnown = ({ key }: ShapeField, filled: Filled | undefined): boolean => key === 'eventTimeZoneOffset' && isBegun(filled);

/** What is filled in where it is not seen. */
const namesOfBegun = (names: readonly string[]): string =>
  names.length === 0 ? '' : t(', filled in: {names}', { names: names.join(', ') });

const isBegun = (filled: Filled | undefined): boolean =>
  typeof filled === 'object' ? Object.values(filled).some(isBegun) : Boolean(filled);

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
        {!required && <span class="hint"> {t('(optional)')}</span>}
      </legend>
      {hint && <p class="hint">{hint}</p>}
      {children}
      <Said of={form.said(pointerOf(path))} />
    </fieldset>
  );
}

/** `GLN` stays as it is. */
const nameInSentence = (key: string): string => (/^\p{Lu}\p{Ll}/u.test(labelOf(key)) ? inSentence(labelOf(key)) : labelOf(key));

function Group({ shape, ...place }: Place & { readonly shape: Shape & { readonly kind: 'object' } }) {
  const { form, path, filled } = place;
  const ways = shape.either
    .filter((keys) => keys.length > 0)
    .map((keys) => keys.map(nameInSentence).reduce((one, other) => t('{one} and {other}', { one, other })));
  // A point is its coordinates: a frame within a frame would say nothing.
  const free = shape.fields.filter((field) => field.shape.kind !== 'fixed');
  const only = free.length === 1 ? free[0] : undefined;
  const isPlace = shape.fields.some(({ key }) => key === 'gln') && shape.fields.some(({ key }) => key === 'country');
  const [open, setOpen] = useState(!isBegun(filled) || isAmount(free));
  const wrong = form.said(pointerOf(path)).length > 0 || form.wrongIn(pointerOf(path));
  if (!open && !wrong)
    return (
      <div class="wide folded">
        <span>
          <span class="label">{place.label}</span> {brief(documentOf(shape, filled, false))}
        </span>
        <button type="button" aria-label={t('Change: {name}', { name: place.label })} onClick={() => setOpen(true)}>
          {t('Change')}
        </button>
      </div>
    );
  return (
    <Fieldset
      {...place}
      hint={
        ways.length > 1
          ? t('Needed: {fields}.', { fields: ways.reduce((one, other) => t('{one}, or {other}', { one, other })) })
          : place.hint
      }
    >
      {isPlace && (
        <PlaceChoice
          places={form.places}
          label={place.label}
          onPlace={(known) => form.onChange(path, known.filledFor(shape))}
          onPosition={(here) => form.onChange([...path, 'geo'], { coordinates: positionFilled(here) })}
        />
      )}
      {only?.shape.kind === 'tuple' ? (
        <>
          {!path.includes('geo') && (
            <PlaceChoice
              places={[]}
              label={place.label}
              onPlace={() => undefined}
              onPosition={(here) => form.onChange([...path, only.key], positionFilled(here))}
            />
          )}
          <Fields form={form} fields={only.shape.items} path={[...path, only.key]} filled={partOf(filled, only.key)} />
          <Said of={form.said(pointerOf([...path, only.key]))} />
        </>
      ) : (
        <Fields form={form} fields={shape.fields} either={shape.either.flat()} path={path} filled={filled} />
      )}
    </Fieldset>
  );
}

/** Photos and files of the event are always offered. */
const isDocuments = (path: readonly string[]): boolean => path.length === 1 && path[0] === 'documents';

const itemsOf = (filled: Filled | undefined): readonly Filled[] => (Array.isArray(filled) ? (filled as readonly Filled[]) : []);

/** What one of a list is called; the name of a process map loses its plural. */
const oneOf = (label: string, key: string): string => (label === labelOf(key) ? labelOf(key.replace(/s$/, '')) : label.replace(/s$/, ''));

function Rows({ shape, ...place }: Place & { readonly shape: Shape & { readonly kind: 'list' } }) {
  const { form, label, path, filled, required } = place;
  const items = itemsOf(filled);
  const one = inSentence(oneOf(label, path.at(-1)!));
  return (
    <Fieldset {...place} required={required && shape.least > 0}>
      {isDocuments(path) && form.documentTypes && (
        <DocumentUpload
          types={form.documentTypes}
          onWaiting={form.onWaitingFile}
          onReference={(reference) => form.onAdd(path, filledOf(shape.item, reference))}
        />
      )}
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
            aria-label={t('Remove {name}', { name: `${one} ${index + 1}` })}
            onClick={() =>
              form.onChange(
                path,
                items.filter((_, other) => other !== index),
              )
            }
          >
            {t('Remove')}
          </button>
        </div>
      ))}
      {(shape.most === null || items.length < shape.most) && (
        <button type="button" onClick={() => form.onChange([...path, String(items.length)], shape.item.kind === 'object' ? {} : '')}>
          {t(/^[aeiou]/.test(one) ? 'Add an {name}' : 'Add a {name}', { name: one })}
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
      <Field label={t('Type of {name}', { name: inSentence(label) })}>
        <select
          value={textOf(partOf(filled, 'variant'))}
          onChange={({ currentTarget }) => form.onChange(path, { variant: currentTarget.value })}
        >
          <option value="">{t(required ? 'Choose' : 'None')}</option>
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
          {inWords(message)}
        </p>
      ))}
    </>
  );
}
