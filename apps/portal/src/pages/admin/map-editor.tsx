import { useState } from 'preact/hooks';
import { Action } from '../../parts/action';
import { Empty, Link, Section, Show } from '../../parts/basics';
import { Text } from '../../parts/inputs';
import { t } from '../../state/language';
import { useDraft, useLoad } from '../../state/load';
import { go } from '../../state/router';
import { api, isAdmin } from '../../state/session';
import { DifferenceList } from './difference-list';
import { MapDiagram } from './map-diagram';
import { type MapDraft, type ProcessDraft, inFlow, nextVersion, usersOf } from './map-draft';
import { MapFields } from './map-fields';
import { MapGoods } from './map-goods';
import { MapTrial } from './map-trial';

type Document = Readonly<Record<string, unknown>>;

/** The next version of a published map. The draft is kept in this tab until it is published. */
export default function MapEditorPage({ id: name }: { readonly id: string }) {
  const map = useLoad(name, () => api().call('GET /api/v1/process-maps/{name}', { path: { name } }));
  if (!isAdmin.value) return <Empty>{t('Only an administrator changes process maps.')}</Empty>;
  return (
    <>
      <p>
        <Link to={`/admin/process-maps/${encodeURIComponent(name)}`}>{t('Published map')}</Link>
      </p>
      <Show what={map}>{(shown) => <Editor key={shown.version} name={name} before={shown.document as unknown as MapDraft} />}</Show>
    </>
  );
}

function Editor({ name, before }: { readonly name: string; readonly before: MapDraft }) {
  const [draft, setDraft] = useDraft<MapDraft>(`map.${name}.${before.version}`, { ...before, version: nextVersion(before.version) });
  const [chosen, setChosen] = useState(inFlow(draft.processes)[0]![0]);
  const process = draft.processes[chosen]!;
  const set = (change: Partial<ProcessDraft>): void =>
    setDraft({ ...draft, processes: { ...draft.processes, [chosen]: { ...process, ...change } } });
  return (
    <>
      <h1>{t('Edit {map}', { map: draft.name })}</h1>
      <Section title={t('Map')}>
        <div class="pair">
          <Text label={t('Name')} required value={draft.name} onChange={(next) => setDraft({ ...draft, name: next })} />
          <Text
            label={t('Version')}
            hint={t('A published version never changes.')}
            value={draft.version}
            onChange={(version) => setDraft({ ...draft, version })}
          />
        </div>
      </Section>
      <Section title={t('Processes: choose one to edit')}>
        <MapDiagram of={draft} chosen={chosen} onChoose={setChosen} />
      </Section>
      <Section title={process.label} key={chosen}>
        <div class="pair">
          <Text label={t('Name of the process')} value={process.label} onChange={(label) => set({ label })} />
          <Text label={t('Explanation for operators')} value={process.description ?? ''} onChange={(description) => set({ description })} />
        </div>
        <MapGoods of={process} assetTypes={draft.assetTypes} onChange={set} />
        <h3>{t('What it asks for')}</h3>
        <MapFields
          schema={process.metadataSchema}
          onChange={(metadataSchema) => set({ metadataSchema })}
          shared={{
            defs: draft.$defs ?? {},
            usersOf: (part) => usersOf(draft, part),
            onChange: (part, schema) => setDraft({ ...draft, $defs: { ...draft.$defs, [part]: schema } }),
          }}
        />
        <MapTrial of={draft} processType={chosen} />
      </Section>
      <Publish draft={draft} before={before} onDiscard={() => setDraft({ ...before, version: nextVersion(before.version) })} />
    </>
  );
}

function Publish({ draft, before, onDiscard }: { readonly draft: MapDraft; readonly before: MapDraft; readonly onDiscard: () => void }) {
  const [checked, setChecked] = useState<MapDraft | null>(null);
  const body = draft as unknown as Document;
  const check = async (): Promise<void> => {
    setChecked(null);
    await api().call('POST /api/v1/process-maps/validate', { body });
    setChecked(draft);
  };
  const publish = async (): Promise<void> => {
    const { name } = await api().call('POST /api/v1/process-maps', { body });
    go(`/admin/process-maps/${encodeURIComponent(name)}`);
  };
  return (
    <Section title={t('Check and publish')}>
      <h3>{t('Changes since {version}', { version: before.version })}</h3>
      <DifferenceList before={before} after={body} />
      <div class="actions">
        <Action label={t('Check the map')} main={checked !== draft} run={check} />
        <Action
          label={t('Discard all changes')}
          sure={t('The draft is lost; the published map stays.')}
          run={() => Promise.resolve(onDiscard())}
        />
      </div>
      {checked === draft && (
        <>
          <p class="notice" role="status">
            {t('The map is valid.')}
          </p>
          <Action
            label={t('Publish version {version}', { version: draft.version })}
            main
            sure={t('A published version cannot be changed or deleted. New events follow it.')}
            run={publish}
          />
        </>
      )}
    </Section>
  );
}
