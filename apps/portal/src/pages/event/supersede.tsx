import { useState } from 'preact/hooks';
import type { EventView } from '#client';
import { Field } from '../../parts/basics';
import { Sign } from '../../parts/sign';
import { useDraft } from '../../state/load';
import { readNumber, showExact, writeNumber } from '../../state/numbers';
import { go } from '../../state/router';
import type { Prepared } from '../../state/signing';
import { api } from '../../state/session';
import { nameOfPath } from './content';
import { type Leaf, type Scalar, keyOfPath, leavesOf, withLeaf } from './leaves';
import { t } from '../../state/language';

/** They are on chain and stay as they are. */
const FIXED = new Set(['inputs', 'quantity', 'coProducts']);

type Typed = Readonly<Record<string, string>>;

interface Change {
  readonly leaf: Leaf;
  readonly value: Scalar;
  readonly fault?: string;
}

/** Corrects what an event says; what it did to lots stays. */
export function Supersede({ event, again }: { readonly event: EventView; readonly again: () => void }) {
  const [typed, setTyped] = useDraft<Typed>(`supersede ${event.id}`, {});
  const [json, setJson] = useState<string | null>(null);
  const content = event.metadata;
  if (content === null) return null;
  const leaves = leavesOf(content).filter(({ path }) => !FIXED.has(String(path[0])));
  const changes = changesOf(leaves, typed);
  const parsed = json === null ? null : parse(json);
  const corrected = parsed?.content ?? changes.reduce((so, { leaf, value }) => withLeaf(so, leaf.path, value), content);
  const nothing = JSON.stringify(corrected) === JSON.stringify(content);
  const wrong = parsed?.fault ?? changes.find(({ fault }) => fault)?.fault;
  return (
    <details>
      <summary>{t('Correct what it says')}</summary>
      <div class="stack">
        <p class="hint">{t('Lots and quantities stay as they are: they are on chain. If those are wrong, void the event.')}</p>
        {json === null &&
          leaves.map((leaf) => (
            <Value
              key={keyOfPath(leaf.path)}
              leaf={leaf}
              typed={typed[keyOfPath(leaf.path)]}
              fault={changes.find((change) => change.leaf === leaf)?.fault}
              onChange={(text) => setTyped({ ...typed, [keyOfPath(leaf.path)]: text })}
            />
          ))}
        {json !== null && (
          <Field label={t('Content as JSON')} error={parsed?.fault}>
            <textarea rows={16} spellcheck={false} value={json} onInput={({ currentTarget }) => setJson(currentTarget.value)} />
          </Field>
        )}
        <button type="button" onClick={() => setJson(json === null ? JSON.stringify(corrected, null, 2) : null)}>
          {json === null ? t('Add or remove fields (JSON)') : t('Back to the fields')}
        </button>
        <Sign
          final
          label={t('Record the correction')}
          type="supersede"
          name={`supersede ${event.id}`}
          disabled={nothing || wrong !== undefined}
          says={<Said changes={json === null ? changes : []} />}
          prepare={() => api().post<Prepared>(`/api/v1/events/${event.id}/supersede/prepare`, { metadata: corrected })}
          onLanded={() => {
            setTyped({});
            void api()
              .get<EventView>(`/api/v1/events/${event.id}`)
              .then(({ supersededBy }) => (supersededBy ? go(`/events/${supersededBy}`) : again()), again);
          }}
        />
      </div>
    </details>
  );
}

function Said({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <>
      <p>{t('The event stays in the record as superseded. From now on the correction counts:')}</p>
      <ul>
        {changes.map(({ leaf, value }) => (
          <li key={keyOfPath(leaf.path)}>
            {nameOfPath(leaf.path)}: <s>{textOf(leaf.value)}</s> <strong>{textOf(value)}</strong>
          </li>
        ))}
        {changes.length === 0 && <li>{t('the content that you wrote as JSON')}</li>}
      </ul>
      <p>{t('You cannot take it back, but you can correct it again.')}</p>
    </>
  );
}

const textOf = (value: Scalar): string => (typeof value === 'number' ? showExact(value) : String(value));
const fieldText = (value: Scalar): string => (typeof value === 'number' ? writeNumber(value) : String(value ?? ''));

interface Editing {
  readonly leaf: Leaf;
  readonly typed: string | undefined;
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
}

function Value({ leaf, typed, fault, onChange }: Editing) {
  const text = typed ?? fieldText(leaf.value);
  if (typeof leaf.value === 'boolean')
    return (
      <Field label={nameOfPath(leaf.path)}>
        <select value={text} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="true">{t('Yes')}</option>
          <option value="false">{t('No')}</option>
        </select>
      </Field>
    );
  return (
    <Field label={nameOfPath(leaf.path)} error={fault}>
      <input value={text} spellcheck={false} autocomplete="off" onInput={({ currentTarget }) => onChange(currentTarget.value)} />
    </Field>
  );
}

function changesOf(leaves: readonly Leaf[], typed: Typed): readonly Change[] {
  return leaves.flatMap((leaf): readonly Change[] => {
    const text = typed[keyOfPath(leaf.path)];
    if (text === undefined || text === fieldText(leaf.value)) return [];
    if (typeof leaf.value === 'boolean') return [{ leaf, value: text === 'true' }];
    if (typeof leaf.value !== 'number') return [{ leaf, value: text }];
    const read = readNumber(text);
    if (read.kind === 'number') return [{ leaf, value: read.value }];
    const [thousands, decimals] = read.kind === 'ambiguous' ? read.readings.map((one) => showExact(one)) : [];
    return [
      {
        leaf,
        value: leaf.value,
        fault: thousands
          ? t('Do you mean {thousands} or {decimals}? Write it without a separator.', { thousands, decimals: decimals! })
          : t('Enter a number.'),
      },
    ];
  });
}

function parse(text: string): { readonly content?: Readonly<Record<string, unknown>>; readonly fault?: string } {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null && !Array.isArray(content)
      ? { content: content as Readonly<Record<string, unknown>> }
      : { fault: 'The content is an object: { … }' };
  } catch {
    return { fault: 'This is not JSON yet.' };
  }
}
