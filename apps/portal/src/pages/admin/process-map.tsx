import type { ProcessMapDocumentView } from '#client';
import { Empty, Facts, Link, Section, Show, Table } from '../../parts/basics';
import { Select } from '../../parts/inputs';
import { showTime, words } from '../../state/format';
import { useLoad } from '../../state/load';
import { useFilters } from '../../state/filters';
import { t } from '../../state/language';
import { api, isAdmin } from '../../state/session';
import { DifferenceList } from './difference-list';

export default function ProcessMapPage({ id: name }: { readonly id: string }) {
  const { value, set } = useFilters(['version']);
  const map = useLoad(`${name} ${value.version}`, () => versionOf(name, value.version));
  return (
    <>
      <p>
        <Link to="/admin/process-maps">{t('All process maps')}</Link>
      </p>
      <Show what={map}>
        {(shown) => (
          <>
            <h1>{shown.title}</h1>
            {isAdmin.value && (
              <p>
                <Link to={`/admin/process-maps/${encodeURIComponent(shown.name)}/edit`}>{t('Edit this map')}</Link>
              </p>
            )}
            <Section title={t('Facts')}>
              <div class="stack">
                <Select
                  label={t('Version')}
                  value={shown.version}
                  of={shown.versions.map((version, index) => [version, index === 0 ? t('{version} (latest)', { version }) : version])}
                  onChange={(version) => set({ version: version === shown.versions[0] ? '' : version })}
                />
                <Facts
                  of={[
                    [t('Key'), shown.name],
                    [t('Published'), showTime(shown.publishedAt)],
                    [t('Chain of custody'), words(shown.document.chainOfCustody as string | undefined)],
                    [t('Content'), <code>{shown.cid}</code>],
                  ]}
                />
              </div>
            </Section>
            <Processes of={shown} />
            <Before of={shown} />
            <Section title={t('Document')}>
              <details>
                <summary>{t('Published document')}</summary>
                <pre class="body" tabIndex={0} aria-label={t('Document')}>
                  {JSON.stringify(shown.document, null, 2)}
                </pre>
              </details>
            </Section>
          </>
        )}
      </Show>
    </>
  );
}

const versionOf = (name: string, version: string): Promise<ProcessMapDocumentView> =>
  api().call('GET /api/v1/process-maps/{name}', { path: { name }, query: version ? { version } : {} });

/** The parts of a process that people ask for; the document may have more. */
interface Process {
  readonly inputs?: { readonly assetTypes?: readonly string[]; readonly consumption?: string };
  readonly outputs?: { readonly assetType?: string; readonly coProducts?: readonly string[] };
  readonly documents?: readonly { readonly type: string; readonly required?: boolean }[];
  readonly requiredRoles?: readonly string[];
}

function Processes({ of }: { readonly of: ProcessMapDocumentView }) {
  const { processes = {}, assetTypes = {} } = of.document as {
    readonly processes?: Readonly<Record<string, Process>>;
    readonly assetTypes?: Readonly<Record<string, { readonly name?: string }>>;
  };
  const called = (type: string): string => (type === '*' ? t('anything') : (assetTypes[type]?.name ?? type));
  const of_ = (processType: string): Process => processes[processType] ?? {};
  return (
    <Section title={t('Processes')}>
      <Table
        caption={t('Processes')}
        rows={of.processes}
        keyOf={({ processType }) => processType}
        columns={[
          { name: t('Process'), show: ({ label, processType }) => <span title={processType}>{label}</span> },
          { name: t('Kind'), show: ({ kind }) => words(kind) },
          { name: t('Inputs'), show: ({ processType }) => of_(processType).inputs?.assetTypes?.map(called).join(', ') || t('none') },
          {
            name: t('Outputs'),
            show: ({ processType }) => {
              const { assetType, coProducts = [] } = of_(processType).outputs ?? {};
              return [assetType, ...coProducts].flatMap((one) => (one ? [called(one)] : [])).join(', ') || t('none');
            },
          },
          {
            name: t('Documents'),
            show: ({ processType }) =>
              of_(processType)
                .documents?.map(({ type, required }) => (required ? words(type) : t('{document} (if any)', { document: words(type) })))
                .join(', ') || '–',
          },
          { name: t('Roles'), show: ({ processType }) => of_(processType).requiredRoles?.map(words).join(', ') || t('any role') },
        ]}
      />
    </Section>
  );
}

/** What this version changed. */
function Before({ of }: { readonly of: ProcessMapDocumentView }) {
  const before = of.versions[of.versions.indexOf(of.version) + 1];
  const older = useLoad(`${of.name} ${before ?? ''}`, async () => (before ? versionOf(of.name, before) : null));
  return (
    <Section title={before ? t('Changed since {version}', { version: before }) : t('Changes')}>
      {before ? (
        <Show what={older}>{(found) => found && <DifferenceList before={found.document} after={of.document} />}</Show>
      ) : (
        <Empty>{t('This is the first version.')}</Empty>
      )}
    </Section>
  );
}
