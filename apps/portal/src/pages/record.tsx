import type { ProcessMapDocumentView, ProcessMapView } from '#client';
import { Empty, Field, Link, Show } from '../parts/basics';
import { useAll } from '../state/list';
import { orKept } from '../state/kept-answer';
import { useLoad } from '../state/load';
import { go, search } from '../state/router';
import { api } from '../state/session';
import { EventForm } from '../record/event-form';
import { NextProcesses } from '../record/next-processes';
import { ProcessList, noteProcess } from '../record/process-list';
import { processOf } from '../record/process.js';
import { t, tx } from '../state/language';

/** The process is in the URL and drafts are kept per process: a reload shows the same. */
export default function RecordPage() {
  const maps = useAll<ProcessMapView>('/api/v1/process-maps?limit=100', 'process maps');
  const query = new URLSearchParams(search.value);
  const [asked, lot] = [query.get('process'), query.get('lot')];
  return (
    <>
      <h1>{t('Record an event')}</h1>
      <Show what={maps}>
        {(data) => {
          if (data.length === 0)
            return (
              <Empty>
                {tx('No process map yet. An administrator can publish one under {page}.', {
                  page: <Link to="/admin/process-maps">{t('Process maps')}</Link>,
                })}
              </Empty>
            );
          const map = data.find(({ processes }) => processes.some(({ processType }) => processType === asked));
          return (
            <>
              <div class="choice">
                <Field label={t('Process')}>
                  <select value={asked ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
                    <option value="">{t('Choose a process')}</option>
                    {data.map(({ name, title, processes }) => (
                      <optgroup key={name} label={title}>
                        {processes.map(({ processType, label }) => (
                          <option key={processType} value={processType}>
                            {label}
                          </option>
                        ))}
                      </optgroup>
                    ))}
                  </select>
                </Field>
              </div>
              {asked && !map && <Empty>{t('No process map has a process {type}. Choose one from the list.', { type: asked })}</Empty>}
              {!asked && lot && <NextProcesses key={lot} lot={lot} maps={data} onChoose={choose} />}
              {!asked && !lot && <ProcessList maps={data} onChoose={choose} />}
              {map && <Chosen key={asked} name={map.name} processType={asked!} />}
            </>
          );
        }}
      </Show>
    </>
  );
}

/** A lot that the address names stays there: it goes into whatever is chosen. */
function choose(processType: string): void {
  const query = new URLSearchParams(search.peek());
  query.set('process', processType);
  if (processType) noteProcess(processType);
  go(`/record?${query.toString()}`, { replace: true });
}

function Chosen({ name, processType }: { readonly name: string; readonly processType: string }) {
  const at = `/api/v1/process-maps/${encodeURIComponent(name)}`;
  const map = useLoad(
    at,
    orKept(`process map ${name}`, () => api().get<ProcessMapDocumentView>(at)),
  );
  return (
    <Show what={map}>
      {(document) => {
        const process = processOf(document, processType);
        return process ? (
          <EventForm process={process} />
        ) : (
          <Empty>{t('The latest version of this process map does not have this process.')}</Empty>
        );
      }}
    </Show>
  );
}
