import type { ProcessMapView } from '#client';
import { processOf } from '../../record/process';
import type { Process } from '../../record/process';
import { useAll } from '../../state/list';
import { type Loaded, useLoad } from '../../state/load';
import { api } from '../../state/session';

/** The processes of all maps, by their names. */
export function useProcesses(): readonly (readonly [key: string, label: string])[] {
  const { data } = useAll<ProcessMapView>('/api/v1/process-maps?limit=100');
  return (data ?? [])
    .flatMap(({ processes }) => processes)
    .map(({ processType, label }) => [processType, label] as const)
    .toSorted(([, a], [, b]) => a.localeCompare(b));
}

/** One process with its fields; null while none is chosen. */
export function useProcess(processType: string | null): Loaded<Process | null> {
  const maps = useAll<ProcessMapView>('/api/v1/process-maps?limit=100');
  const name = maps.data?.find(({ processes }) => processes.some((one) => one.processType === processType))?.name;
  return useLoad(`process ${name} ${processType}`, async () =>
    name === undefined ? null : processOf(await api().call('GET /api/v1/process-maps/{name}', { path: { name } }), processType!),
  );
}
