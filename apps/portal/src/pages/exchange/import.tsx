import type { ImportView } from '#client';
import { Action } from '../../parts/action';
import { Facts, Link, Section, Show, Status, Table } from '../../parts/basics';
import { More } from '../../parts/more';
import { showNumber, showTime } from '../../state/format';
import { plural, t } from '../../state/language';
import { useList } from '../../state/list';
import { useLoad } from '../../state/load';
import { useRepeated } from '../../state/repeated';
import { go } from '../../state/router';
import { saveFile } from '../../state/save-file';
import { api } from '../../state/session';
import { Mapping } from './mapping';
import { ImportedEvents } from './imported-events';

const UNDER_WAY = new Set(['waiting', 'running']);

/** One import from its file to the signature: what its columns mean, what is wrong, what is to be signed. */
export default function ImportPage({ id }: { readonly id: string }) {
  const found = useLoad(`import ${id}`, () => api().imports.get(id));
  useRepeated(found, UNDER_WAY.has(found.data?.state ?? ''));
  return (
    <>
      <p>
        <Link to="/exchange/import">{t('All imports')}</Link>
      </p>
      <Show what={found}>
        {(one) => (
          <>
            <h1>{one.name}</h1>
            <State of={one} again={found.again} />
            {one.state === 'prepared' && <ImportedEvents key={one.changedAt} of={one} />}
            {one.rows.invalid > 0 && <Problems key={one.changedAt} of={one} />}
            {one.state === 'checked' && <Prepare of={one} again={found.again} />}
            {one.proposal !== null && ['proposed', 'checked'].includes(one.state) && (
              <Mapping key={one.changedAt} of={one} again={found.again} />
            )}
          </>
        )}
      </Show>
    </>
  );
}

function State({ of: one, again }: { readonly of: ImportView; readonly again: () => void }) {
  const { id, state, rows, remarks, failure } = one;
  const underWay = UNDER_WAY.has(state);
  const failed = failure as { readonly code: string; readonly message: string } | null;
  const isStopped = state === 'failed' || state === 'cancelled';
  return (
    <Section title={t('State')} aside={<Status of={state} />}>
      <Facts
        of={[[t('Process'), one.processType], ...(rows.total === 0 ? [] : countsOf(rows)), [t('Uploaded'), showTime(one.createdAt)]]}
      />
      {underWay && (
        <p role="status" class="waiting">
          {rows.total > 0 ? t('{done} of {total} rows …', { done: rows.done, total: rows.total }) : t('Reading the file …')}
        </p>
      )}
      {failed && (
        <p class="problem" role="alert">
          {failed.message} <code>{failed.code}</code>
        </p>
      )}
      {remarks.map((remark) => (
        <p key={remark} class="notice">
          {remark}
        </p>
      ))}
      <div class="actions">
        {underWay && <Action label={t('Cancel')} run={() => api().imports.cancel(id).then(again)} />}
        {isStopped && <Action label={t('Continue')} main run={() => api().imports.resume(id).then(again)} />}
        {!underWay && (
          <Action
            label={t('Delete this import')}
            sure={t('The file and its mapping are deleted. Events that were prepared or recorded stay.')}
            run={async () => {
              await api().imports.delete(id);
              go('/exchange/import');
            }}
          />
        )}
      </div>
    </Section>
  );
}

const countsOf = (rows: ImportView['rows']): readonly (readonly [string, string])[] => [
  [t('Rows'), showNumber(rows.total)],
  [t('Without a problem'), showNumber(rows.valid)],
  [t('With problems'), showNumber(rows.invalid)],
  [t('Prepared'), showNumber(rows.prepared)],
  [t('Prepared before'), showNumber(rows.repeated)],
];

interface RowProblems {
  readonly row: number;
  readonly problems: readonly {
    readonly column: string | null;
    readonly header: string | null;
    readonly code: string;
    readonly message: string;
  }[];
}

function Problems({ of: { id, name, rows } }: { readonly of: ImportView }) {
  const list = useList<RowProblems>(`/api/v1/imports/${id}/problems?limit=50`);
  return (
    <Section title={plural(rows.invalid, '{count} row with problems', '{count} rows with problems')}>
      <p class="hint">{t('The marked file is yours with the problems written in it. Correct it and import it again.')}</p>
      <div class="actions">
        <Action
          label={t('Download the marked file')}
          main
          run={async () => saveFile(await api().imports.markedFile(id), name.replace(/(\.\w+)?$/, '-checked$1'))}
        />
      </div>
      <Show what={list}>
        {({ data }) => (
          <Table
            caption={t('Problems by row and column')}
            rows={data.flatMap(({ row, problems }) => problems.map((problem, index) => ({ row, index, ...problem })))}
            keyOf={({ row, index }) => `${row} ${index}`}
            columns={[
              { name: t('Row'), number: true, show: ({ row }) => row },
              { name: t('Column'), show: ({ column, header }) => [column, header].filter(Boolean).join(' · ') || '–' },
              { name: t('Problem'), show: ({ message }) => message },
            ]}
          />
        )}
      </Show>
      <More of={list} />
    </Section>
  );
}

function Prepare({ of: { id, rows }, again }: { readonly of: ImportView; readonly again: () => void }) {
  const prepare = (which: 'all' | 'valid') => () => api().imports.prepare(id, { rows: which }).then(again);
  if (rows.valid === 0)
    return <p class="notice">{t('No row can be recorded yet. Correct the file, or say below what its columns mean.')}</p>;
  return (
    <Section title={t('Prepare the events')}>
      <p>{t('The rows become events that wait for your signature. Until you sign, nothing is recorded.')}</p>
      {rows.invalid === 0 ? (
        <Action label={plural(rows.valid, 'Prepare {count} row', 'Prepare {count} rows')} main run={prepare('all')} />
      ) : (
        <Action
          label={plural(rows.valid, 'Prepare {count} row without problems', 'Prepare {count} rows without problems')}
          main
          sure={plural(rows.invalid, '{count} row with problems is left out.', '{count} rows with problems are left out.')}
          run={prepare('valid')}
        />
      )}
    </Section>
  );
}
