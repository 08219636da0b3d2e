import type { LotView, ProcessMapDocumentView, ProcessMapView } from '#client';
import { Empty, Section, Show } from '../parts/basics';
import { useLoad } from '../state/load';
import { api } from '../state/session';
import { t } from '../state/language';
import { takesLot } from './process.js';
import { ProcessList, Tiles } from './process-list';

interface Choosing {
  readonly maps: readonly ProcessMapView[];
  readonly onChoose: (processType: string) => void;
}

/** What can be done with a lot comes first; in any other process it would be left out. */
export function NextProcesses({ lot: id, maps, onChoose }: Choosing & { readonly lot: string }) {
  const loaded = useLoad(`next for ${id}`, async () => {
    const documents = maps.map(({ name }) => api().get<ProcessMapDocumentView>(`/api/v1/process-maps/${encodeURIComponent(name)}`));
    return [await api().get<LotView>(`/api/v1/nfts/${encodeURIComponent(id)}`), await Promise.all(documents)] as const;
  });
  return (
    <>
      <Show what={loaded}>
        {([lot, documents]) => {
          const fitting = maps.flatMap(({ processes }, at) =>
            processes.filter(({ processType }) => takesLot(documents[at]!, processType, lot)),
          );
          return (
            <Section title={t('Next for {lot}', { lot: lot.tlc })}>
              {fitting.length === 0 ? (
                <Empty>{t('No process takes this lot as it is.')}</Empty>
              ) : (
                <Tiles of={fitting} onChoose={onChoose} />
              )}
            </Section>
          );
        }}
      </Show>
      <details>
        <summary>{t('All processes')}</summary>
        <ProcessList maps={maps} onChoose={onChoose} />
      </details>
    </>
  );
}
