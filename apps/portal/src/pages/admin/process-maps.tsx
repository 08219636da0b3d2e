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

export default function ProcessMapsPage() {
  const maps = useAll<ProcessMapView>('/api/v1/process-maps?limit=100');
  return (
    <>
      <h1>Process maps</h1>
      <Section title="Published maps">
        <Show what={maps}>
          {(data) =>
            data.length === 0 ? (
              <Empty>No process maps yet. {isAdmin.value ? 'Upload the first one below.' : 'An administrator can upload them.'}</Empty>
            ) : (
              <Table
                caption="Process maps, latest versions"
                rows={data}
                keyOf={({ name }) => name}
                columns={[
                  { name: 'Map', show: ({ name, title }) => <Link to={`/admin/process-maps/${encodeURIComponent(name)}`}>{title}</Link> },
                  { name: 'Version', show: ({ version }) => version },
                  { name: 'Processes', number: true, show: ({ processes }) => processes.length },
                  { name: 'Published', show: ({ publishedAt }) => showTime(publishedAt) },
                  { name: 'Content', show: ({ cid }) => <code title={cid}>{shortHash(cid)}</code> },
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
    <Section title="Upload a map or a new version">
      <div class="stack">
        {!administersAll.value && <p class="hint">You can publish a map if you administer all of its processes.</p>}
        <Field label="File" hint="JSON, process map format 1.0. The file is validated first; nothing is published yet.">
          <input type="file" accept=".json,application/json" onChange={({ currentTarget }) => examine(currentTarget.files?.[0])} />
        </Field>
        {busy && (
          <p class="waiting" role="status">
            Validating …
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
                label={`Publish ${tried.verdict.name} ${tried.verdict.version}`}
                main
                sure="A published version cannot be changed or deleted."
                run={() => publish(tried.document)}
              />
            )}
          </>
        )}
      </div>
    </Section>
  );
}

const say = ({ verdict: { name, version, processes, published }, before }: Tried): string =>
  published
    ? `${name} ${version} is already published with the same content.`
    : `The file is valid: ${before ? `a new version of ${name}` : `a new map ${name}`}, ${version}, with ${processes.length} processes.`;

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
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw new Error('The file contains no JSON object.');
  return document as Document;
}
