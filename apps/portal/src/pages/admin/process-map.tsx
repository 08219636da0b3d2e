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
        <Link to="/admin/process-maps">All process maps</Link>
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
            <Section title="Facts">
              <div class="stack">
                <Select
                  label="Version"
                  value={shown.version}
                  of={shown.versions.map((version, index) => [version, index === 0 ? `${version} (latest)` : version])}
                  onChange={(version) => set({ version: version === shown.versions[0] ? '' : version })}
                />
                <Facts
                  of={[
                    ['Key', shown.name],
                    ['Published', showTime(shown.publishedAt)],
                    ['Chain of custody', words(shown.document.chainOfCustody as string | undefined)],
                    ['Content', <code>{shown.cid}</code>],
                  ]}
                />
              </div>
            </Section>
            <Processes of={shown} />
            <Before of={shown} />
            <Section title="Document">
              <details>
                <summary>Published document</summary>
                <pre class="body" tabIndex={0} aria-label="Document">
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
  const called = (type: string): string => (type === '*' ? 'anything' : (assetTypes[type]?.name ?? type));
  const of_ = (processType: string): Process => processes[processType] ?? {};
  return (
    <Section title="Processes">
      <Table
        caption="Processes"
        rows={of.processes}
        keyOf={({ processType }) => processType}
        columns={[
          { name: 'Process', show: ({ label, processType }) => <span title={processType}>{label}</span> },
          { name: 'Kind', show: ({ kind }) => words(kind) },
          { name: 'Inputs', show: ({ processType }) => of_(processType).inputs?.assetTypes?.map(called).join(', ') || 'none' },
          {
            name: 'Outputs',
            show: ({ processType }) => {
              const { assetType, coProducts = [] } = of_(processType).outputs ?? {};
              return [assetType, ...coProducts].flatMap((one) => (one ? [called(one)] : [])).join(', ') || 'none';
            },
          },
          {
            name: 'Documents',
            show: ({ processType }) =>
              of_(processType)
                .documents?.map(({ type, required }) => `${words(type)}${required ? '' : ' (if any)'}`)
                .join(', ') || '–',
          },
          { name: 'Roles', show: ({ processType }) => of_(processType).requiredRoles?.map(words).join(', ') || 'any role' },
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
    <Section title={before ? `Changed since ${before}` : 'Changes'}>
      {before ? (
        <Show what={older}>{(found) => found && <DifferenceList before={found.document} after={of.document} />}</Show>
      ) : (
        <Empty>This is the first version.</Empty>
      )}
    </Section>
  );
}
