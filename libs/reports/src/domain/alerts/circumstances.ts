import type { Thresholds } from './thresholds.js';

export interface KeyDataElement {
  readonly path: string;
  readonly name: string;
  readonly level: 'required' | 'recommended';
  readonly ref: string | null;
}

/** What alerts ask of one process of a published map. */
export interface ProcessRules {
  readonly label: string;
  readonly kdes: readonly KeyDataElement[];
  readonly requiredDocuments: readonly string[];
}

/** What alerts ask of one version of a published process map. Null where the map leaves it to the tenant. */
export interface MapRules {
  readonly chainOfCustody: string;
  readonly lateAfterSeconds: number | null;
  readonly custodyAcceptWithinSeconds: number | null;
  readonly expiringSoonWithinSeconds: number | null;
  readonly assetTypes: ReadonlyMap<string, { readonly name: string; readonly category: string; readonly massPerUnitKg: number | null }>;
  readonly processes: ReadonlyMap<string, ProcessRules>;
}

/** What every rule may look at besides the facts of its subject. */
export interface Circumstances {
  readonly now: Date;
  readonly thresholds: Thresholds;
  /** By `name@version`, and by the bare name the newest version of each. */
  readonly maps: ReadonlyMap<string, MapRules>;
}

/** The version that something was made by, else the newest of that name. */
export function mapOf(
  { maps }: Circumstances,
  of: { readonly mapName: string | null; readonly mapVersion: string | null },
): MapRules | null {
  if (of.mapName === null) return null;
  return maps.get(`${of.mapName}@${of.mapVersion}`) ?? maps.get(of.mapName) ?? null;
}

/** Limits about what a lot or an event does now follow the newest map: tightening one must not wait for new lots. */
export const newestMap = ({ maps }: Circumstances, name: string | null): MapRules | null =>
  name === null ? null : (maps.get(name) ?? null);
