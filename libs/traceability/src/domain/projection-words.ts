import { wordHash } from './projection-event.js';
import type { Consumption, Process, ProcessMapDocument } from './process-map.js';

/** The words of a published process map that the projection writes into lots and events. */
export interface MapWords {
  readonly name: string;
  readonly version: string;
  readonly cid: string;
  readonly assetTypes: Readonly<Record<string, { readonly name?: string; readonly gtin?: string; readonly massPerUnitKg?: number }>>;
  readonly defaults: ProcessMapDocument['defaults'] | null;
  readonly processes: Readonly<
    Record<
      string,
      Partial<Pick<Process, 'yield' | 'massBalance' | 'fields' | 'kdes'>> & {
        readonly label?: string;
        readonly kind?: string;
        readonly consumption?: Consumption;
      }
    >
  >;
}

/** The process behind a bytes32 process id, in the map published last. */
export function processOf(maps: readonly MapWords[], processId: string): { readonly map: MapWords; readonly processType: string } | null {
  for (const map of maps)
    for (const processType of Object.keys(map.processes)) if (wordHash(processType) === processId) return { map, processType };
  return null;
}
