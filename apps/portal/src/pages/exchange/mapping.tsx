import { useState } from 'preact/hooks';
import type { ImportView } from '#client';
import { Action, Form } from '../../parts/action';
import { Field, Section } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { t } from '../../state/language';
import { api } from '../../state/session';
import { MappedColumn } from './mapped-column';
import { useProcess } from './processes';
import { type Column, type Constant, type Proposal, beginningOf, mappingOf } from './mapping-draft';
import { type Target, targetsOf } from './targets';

/** What each column of the file says. It starts as the service proposes it, or as it was checked last. */
export function Mapping({ of: one, again }: { readonly of: ImportView; readonly again: () => void }) {
  const proposal = one.proposal as unknown as Proposal;
  const start = beginningOf(proposal, one.mapping);
  const [columns, setColumns] = useState<readonly Column[]>(start.columns);
  const [constants, setConstants] = useState<readonly Constant[]>(start.constants);
  const [groupBy, setGroupBy] = useState(start.groupBy);
  const process = useProcess(one.processType);
  if (!process.data)
    return (
      <p class="waiting" role="status">
        {t('Loading …')}
      </p>
    );
  const targets = targetsOf(process.data);
  const said = new Set([...columns.map(({ to }) => to), ...constants.map(({ to }) => to)]);
  const lacking = targets.filter(({ to, required }) => required && !covered(to, said));
  const mapping = mappingOf({ processType: one.processType!, columns, constants, groupBy });
  const change = (index: number, next: Column): void => setColumns(columns.map((column, i) => (i === index ? next : column)));
  return (
    <Section title={t('What the columns mean')}>
      <p class="hint">{t('We propose a meaning by the headers and the values. Check each, answer the questions, then check the rows.')}</p>
      <Form label={t('Check all rows')} send={() => api().imports.check(one.id, { mapping }).then(again)} disabled={said.size === 0}>
        <ul class="mapping">
          {columns.map((column, index) => (
            <MappedColumn key={column.letter} of={column} targets={targets} taken={said} onChange={(next) => change(index, next)} />
          ))}
        </ul>
        <Select
          label={t('Rows that are one event (optional)')}
          hint={t('Rows with the same text in this column become one event with several lots or documents.')}
          none={t('Each row is an event')}
          of={columns.map(({ letter, column }) => [letter, `${letter} · ${column}`] as const)}
          value={groupBy}
          onChange={setGroupBy}
        />
        <Constants of={constants} lacking={lacking} targets={targets} said={said} onChange={setConstants} />
      </Form>
      <KeepMapping mapping={mapping} />
    </Section>
  );
}

/** A quantity with its unit says both of its parts, and its parts say the quantity. */
function covered(to: string, said: ReadonlySet<string>): boolean {
  const parent = to.slice(0, to.lastIndexOf('/'));
  return said.has(to) || said.has(parent) || said.has('/metadata');
}

function Constants({
  of: constants,
  lacking,
  targets,
  said,
  onChange,
}: {
  readonly of: readonly Constant[];
  readonly lacking: readonly Target[];
  readonly targets: readonly Target[];
  readonly said: ReadonlySet<string>;
  readonly onChange: (next: readonly Constant[]) => void;
}) {
  const nameOf = (to: string): string => targets.find((target) => target.to === to)?.name ?? to;
  const set = (to: string, value: string): void => onChange(constants.map((one) => (one.to === to ? { to, value } : one)));
  return (
    <fieldset class="part">
      <legend>{t('The same for every row')}</legend>
      {lacking.length > 0 && (
        <p class="notice">
          {t('No column says yet: {names}. Choose a column above, or add a value here.', {
            names: lacking.map(({ name }) => name).join('; '),
          })}
        </p>
      )}
      {constants.map(({ to, value }) => (
        <div key={to} class="row">
          <div class="grow">
            <ConstantField
              label={nameOf(to)}
              target={targets.find((target) => target.to === to)}
              value={value}
              onChange={(next) => set(to, next)}
            />
          </div>
          <button
            type="button"
            aria-label={t('Remove {name}', { name: nameOf(to) })}
            onClick={() => onChange(constants.filter((one) => one.to !== to))}
          >
            {t('Remove')}
          </button>
        </div>
      ))}
      <div class="actions">
        {lacking.length > 0 && (
          <button type="button" onClick={() => onChange([...constants, ...lacking.map(({ to }) => ({ to, value: '' }))])}>
            {t('Add all that are missing')}
          </button>
        )}
      </div>
      <Select
        label={t('Add a value')}
        none={t('Choose')}
        of={targets.filter(({ to, as }) => !said.has(to) && as !== 'quantity' && as !== 'lot').map(({ to, name }) => [to, name] as const)}
        value=""
        onChange={(to) => to !== '' && onChange([...constants, { to, value: '' }])}
      />
    </fieldset>
  );
}

function ConstantField({
  label,
  target,
  value,
  onChange,
}: {
  readonly label: string;
  readonly target: Target | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  if (target?.of)
    return (
      <Select
        label={label}
        none={t('Choose')}
        of={target.of.map((one) => [String(one), String(one)] as const)}
        value={value}
        onChange={onChange}
      />
    );
  const hint = target?.as === 'number' || target?.as === 'integer' ? t('A number with a point for decimals, as in 1234.5') : undefined;
  return <Text label={label} hint={hint} type={target?.as === 'date' ? 'date' : 'text'} value={value} onChange={onChange} />;
}

/** For the next file of the same partner. */
function KeepMapping({ mapping }: { readonly mapping: object }) {
  const [name, setName] = useState('');
  const [kept, setKept] = useState<string | null>(null);
  const keep = async (): Promise<void> => {
    const { version } = await api().imports.keepMapping(name, mapping);
    setKept(t('Saved as {name}, version {version}.', { name, version }));
  };
  return (
    <details>
      <summary>{t('Save this mapping for the next file')}</summary>
      <div class="stack">
        <Field label={t('Name of the mapping')}>
          <input maxLength={100} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Action label={t('Save the mapping')} disabled={name.trim() === ''} run={keep} />
        {kept && (
          <p class="notice" role="status">
            {kept}
          </p>
        )}
      </div>
    </details>
  );
}
