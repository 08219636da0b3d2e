import { useState } from 'preact/hooks';
import type { Operations } from '#client';
import { Action } from '../../parts/action';
import { Link, Show } from '../../parts/basics';
import { plural, t } from '../../state/language';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';
import type { Progress } from './progress';

type Template = Operations['GET /api/v1/process-map-templates']['answer']['data'][number];

/** A map of a supply chain to begin with; it is changed later in the editor. */
export function ChooseTemplate({ of: { maps }, after }: { readonly of: Progress; readonly after: () => void }) {
  const templates = useLoad('templates', () => api().call('GET /api/v1/process-map-templates'));
  const [chosen, setChosen] = useState('');
  if (maps.length > 0)
    return (
      <ul>
        {maps.map(({ name, title }) => (
          <li key={name}>
            <Link to={`/admin/process-maps/${encodeURIComponent(name)}`}>{title}</Link>
          </li>
        ))}
      </ul>
    );
  return (
    <Show what={templates}>
      {({ data }) => (
        <fieldset class="checks">
          <legend>{t('Process map')}</legend>
          <p class="hint">
            {t('A process map says which processes you have and what each records. Begin with a template, and change it later.')}
          </p>
          {data.map((one) => (
            <label key={one.name}>
              <input type="radio" name="template" checked={chosen === one.name} onChange={() => setChosen(one.name)} />
              <span>
                {one.title} <span class="hint">{one.description}</span>
              </span>
            </label>
          ))}
          <Chosen of={data.find(({ name }) => name === chosen)} after={after} />
        </fieldset>
      )}
    </Show>
  );
}

function Chosen({ of: template, after }: { readonly of: Template | undefined; readonly after: () => void }) {
  if (!template) return null;
  const publish = async (): Promise<void> => {
    await api().call('POST /api/v1/process-maps', { body: template.document });
    after();
  };
  return (
    <>
      <p>
        {plural(template.processes.length, '{count} process:', '{count} processes:')} {template.processes.join(', ')}
      </p>
      <Action label={t('Use this template')} main run={publish} />
    </>
  );
}
