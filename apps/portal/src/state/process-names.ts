import type { ProcessMapView } from '#client';
import { words } from './format';
import { useAll } from './list';

/** What the process maps call a process; one of no map by its key. */
export function useProcessNames(): (processType: string | null) => string {
  const { data } = useAll<ProcessMapView>('/api/v1/process-maps?limit=100');
  const labels = new Map((data ?? []).flatMap(({ processes }) => processes).map(({ processType, label }) => [processType, label]));
  return (processType) => labels.get(processType ?? '') ?? words(processType);
}
