import { Select, Text } from '../../parts/inputs';
import { Field } from '../../parts/basics';
import { UNITS } from '../../state/format';
import { t, translated } from '../../state/language';
import type { Column } from './mapping-draft';
import type { Target } from './targets';

const DATE_FORMS = [
  'YYYY-MM-DD',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'YYYY/MM/DD',
  'YYYY.MM.DD',
  'YYYYMMDD',
  'DD.MM.YY',
  'DD/MM/YY',
  'MM/DD/YY',
];
const asChoice = (one: string): readonly [string, string] => [one, one];

/** One column of the file: what it means, and how its texts are read. */
export function MappedColumn({
  of: column,
  targets,
  taken,
  onChange,
}: {
  readonly of: Column;
  readonly targets: readonly Target[];
  readonly taken: ReadonlySet<string>;
  readonly onChange: (next: Column) => void;
}) {
  const { letter, to, questions } = column;
  const free = targets.filter((target) => target.to === to || !taken.has(target.to));
  const unlisted = to !== '' && !targets.some((target) => target.to === to);
  const mean = (next: string): void =>
    onChange({ column: column.column, letter, to: next, as: targets.find((target) => target.to === next)?.as ?? 'text', questions: [] });
  return (
    <li>
      <div class="mapped">
        <p>
          <code>{letter}</code> <strong>{column.column}</strong>
        </p>
        <Select
          label={t('Means: {column}', { column: column.column })}
          none={t('Nothing: leave it out')}
          of={[
            ...(unlisted ? [asChoice(to)] : []),
            ...free.map(({ to: value, name, required }) => [value, required ? `${name} *` : name] as const),
          ]}
          value={to}
          onChange={mean}
        />
      </div>
      {questions.map((question) => (
        <p key={question} class="notice">
          {question}
        </p>
      ))}
      {to !== '' && <Reading of={column} target={targets.find((target) => target.to === to)} onChange={onChange} />}
    </li>
  );
}

function Reading({
  of: column,
  target,
  onChange,
}: {
  readonly of: Column;
  readonly target: Target | undefined;
  readonly onChange: (next: Column) => void;
}) {
  const { as } = column;
  const set = (change: Partial<Column>): void => onChange({ ...column, ...change });
  const isNumber = as === 'number' || as === 'integer' || as === 'quantity';
  const isTime = as === 'date' || as === 'instant';
  return (
    <div class="fields">
      {isNumber && (
        <Select
          label={t('Decimal sign')}
          none={t('None, or numbers of the workbook')}
          of={[
            [',', t('Comma: 1.234,5')],
            ['.', t('Point: 1,234.5')],
          ]}
          value={column.decimal ?? ''}
          onChange={(decimal) => set({ decimal: decimal as ',' })}
        />
      )}
      {as === 'quantity' && (
        <Select
          label={t('Unit where none is written')}
          none={t('None')}
          of={Object.entries(UNITS).map(([code, name]) => [code, translated(name)] as const)}
          value={column.unit ?? ''}
          onChange={(unit) => set({ unit })}
        />
      )}
      {isTime && (
        <Select
          label={t('Form of the dates')}
          none={t('Dates of the workbook')}
          of={DATE_FORMS.map(asChoice)}
          value={column.dateForm ?? ''}
          onChange={(dateForm) => set({ dateForm })}
        />
      )}
      {as === 'instant' && (
        <>
          <Text
            label={t('Offset from UTC')}
            hint={t('Where none is written, as in +07:00')}
            pattern="Z|[+\-]\d\d:\d\d"
            value={column.offset ?? ''}
            onChange={(offset) => set({ offset })}
          />
          <Text
            label={t('Time of day')}
            hint={t('Where there is only a day, as in 12:00')}
            pattern="([01]\d|2[0-3]):[0-5]\d"
            value={column.time ?? ''}
            onChange={(time) => set({ time })}
          />
        </>
      )}
      {target?.of && <Meanings of={column} allowed={target.of} onChange={(lookup) => set({ lookup })} />}
    </div>
  );
}

/** Texts of the file that the process calls otherwise. */
function Meanings({
  of: { lookup = {} },
  allowed,
  onChange,
}: {
  readonly of: Column;
  readonly allowed: readonly unknown[];
  readonly onChange: (lookup: NonNullable<Column['lookup']>) => void;
}) {
  const read = (text: string): void => {
    const pairs = text.split('\n').flatMap((line) => {
      const [from = '', ...rest] = line.split('=');
      const value = rest.join('=').trim();
      const meant = allowed.find((one) => String(one) === value) ?? value;
      return from.trim() === '' || value === '' ? [] : [[from.trim(), meant as string] as const];
    });
    onChange(Object.fromEntries(pairs));
  };
  return (
    <Field
      label={t('Other words for the values')}
      hint={t('One a line: text in the file = {values}', { values: allowed.slice(0, 6).join(' | ') })}
    >
      <textarea rows={2} onChange={({ currentTarget }) => read(currentTarget.value)}>
        {Object.entries(lookup)
          .map(([text, value]) => `${text} = ${String(value)}`)
          .join('\n')}
      </textarea>
    </Field>
  );
}
