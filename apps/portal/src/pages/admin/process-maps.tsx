import { useState } from 'preact/hooks';
import type { ProcessMapVerdictView, ProcessMapView } from '#client';
import { Action } from '../../parts/action';
import { Empty, Field, Link, Section, Show, Table } from '../../parts/basics';
import { Problem } from '../../parts/problem';
import { shortHash, showTime } from '../../state/format';
import { useAll } from '../../state/list';
import { go } from '../../state/router';
import { useRun } from '../../state/run';
import { administersAll } from '../../state/rights';
import { api, isAdmin } from '../../state/session';
import { DifferenceList } from './difference-list';
import { plural, t } from '../../state/language';

export default function ProcessMapsPage() {
  const maps = useAll<ProcessMapView>('/api/v1/process-maps?limit=100');
  return (
    <>
      <h1>{t('Process maps')}</h1>
      <Section title={t('Published maps')}>
        <Show what={maps}>
          {(data) =>
            data.length === 0 ? (
              <Empty>
                {t(
                  isAdmin.value
                    ? 'No process maps yet. Upload the first one below.'
                    : 'No process maps yet. An administrator can upload them.',
                )}
              </Empty>
            ) : (
              <Table
                caption={t('Process maps, latest versions')}
                rows={data}
                keyOf={({ name }) => name}
                columns={[
                  {
                    name: t('Map'),
                    show: ({ name, title }) => <Link to={`/admin/process-maps/${encodeURIComponent(name)}`}>{title}</Link>,
                  },
                  { name: t('Version'), show: ({ version }) => version },
                  { name: t('Processes'), number: true, show: ({ processes }) => processes.length },
                  { name: t('Published'), show: ({ publishedAt }) => showTime(publishedAt) },
                  { name: t('Content'), show: ({ cid }) => <code title={cid}>{shortHash(cid)}</code> },
                ]}
              />
            )
          }
        </Show>
      </Section>
      {isAdmin.value && <Upload />}
    </>
  );
}

type Document = Readonly<Record<string, unknown>>;
interface Tried {
  readonly document: Document;
  readonly verdict: ProcessMapVerdictView;
  /** Null for a map that is new. */
  readonly before: Document | null;
}

/** A file is tried first: what is wrong with it, or what it would change. */
function Upload() {
  const [tried, setTried] = useState<Tried | null>(null);
  const { busy, error, run } = useRun();
  const examine = (file: File | undefined): void => {
    setTried(null);
    if (file) void run(async () => setTried(await dryRun(documentIn(await file.text()))));
  };
  const publish = async (document: Document): Promise<void> => {
    const { name } = await api().call('POST /api/v1/process-maps', { body: document });
    go(`/admin/process-maps/${encodeURIComponent(name)}`);
  };
  return (
    <Section title={t('Upload a map or a new version')}>
      <div class="stack">
        {!administersAll.value && <p class="hint">{t('You can publish a map if you administer all of its processes.')}</p>}
        <Field label={t('File')} hint={t('JSON, process map format 1.0. The file is validated first; nothing is published yet.')}>
          <input type="file" accept=".json,application/json" onChange={({ currentTarget }) => examine(currentTarget.files?.[0])} />
        </Field>
        {busy && (
          <p class="waiting" role="status">
            {t('Validating …')}
          </p>
        )}
        <Problem of={error} />
        {tried && (
          <>
            <p class="notice" role="status">
              {say(tried)}
            </p>
            {tried.before && <DifferenceList before={tried.before} after={tried.document} />}
            {!tried.verdict.published && (
              <Action
                label={t('Publish {name} {version}', { name: tried.verdict.name, version: tried.verdict.version })}
                main
                sure={t('A published version cannot be changed or deleted.')}
                run={() => publish(tried.document)}
              />
            )}
          </>
        )}
      </div>
    </Section>
  );
}

function say({ verdict: { name, version, processes, published }, before }: Tried): string {
  const values = { name, version };
  if (published) return t('{name} {version} is already published with the same content.', values);
  return before
    ? plural(
        processes.length,
        'The file is valid: a new version of {name}, {version}, with {count} process.',
        'The file is valid: a new version of {name}, {version}, with {count} processes.',
        values,
      )
    : plural(
        processes.length,
        'The file is valid: a new map {name}, {version}, with {count} process.',
        'The file is valid: a new map {name}, {version}, with {count} processes.',
        values,
      );
}

async function dryRun(document: Document): Promise<Tried> {
  const verdict = await api().call('POST /api/v1/process-maps/validate', { body: document });
  const before = await api()
    .call('GET /api/v1/process-maps/{name}', { path: { name: verdict.name } })
    .then(
      (newest) => newest.document,
      (problem: { readonly status?: number }) => {
        if (problem.status === 404) return null;
        throw problem;
      },
    );
  return { document, verdict, before };
}

/** @throws Error that says where the text is no JSON */
function documentIn(text: string): Document {
  const document: unknown = JSON.parse(text);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw new Error(t('The file contains no JSON object.'));
  return document as Document;
}
