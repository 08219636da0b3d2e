import { type Hex, keccakOf, type Role } from '#kernel';

/** The process map format of domain-decisions §1; its JSON Schema is templates/process-map.schema.json. */
export interface ProcessMapDocument {
  readonly formatVersion: '1.0';
  /** Names the map in the API: `processMapName`. */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly chainOfCustody: string;
  readonly regimes?: readonly string[];
  readonly defaults?: {
    readonly massBalanceTolerance?: number;
    readonly lateAfter?: string;
    readonly custodyAcceptWithin?: string;
    readonly expiringSoonWithin?: string;
  };
  readonly assetTypes: Readonly<Record<string, AssetType>>;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly processes: Readonly<Record<string, Process>>;
}

export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

export interface AssetType {
  readonly name: string;
  readonly category: 'raw_material' | 'intermediate' | 'finished_good' | 'co_product' | 'waste' | 'packaging' | 'container';
  readonly uom: string;
  readonly massPerUnitKg?: number;
  readonly recallUnit?: { readonly label: string; readonly massKg: number };
  readonly gtin?: string;
  readonly hsCode?: string;
  readonly onFoodTraceabilityList?: boolean;
  readonly passport?: boolean;
}

export const PROCESS_KINDS = [
  'creation',
  'observation',
  'transformation',
  'aggregation',
  'disaggregation',
  'association',
  'transfer',
  'disposal',
] as const;
export type ProcessKind = (typeof PROCESS_KINDS)[number];
export type Consumption = 'full' | 'partial' | 'none' | 'contained' | 'retired';
export type WellKnown =
  | 'eventTime'
  | 'eventTimeZoneOffset'
  | 'quantity'
  | 'inputs'
  | 'coProducts'
  | 'losses'
  | 'location'
  | 'source'
  | 'destination'
  | 'geo'
  | 'documents'
  | 'footprint'
  | 'expiry'
  | 'productDescription';

export interface Process {
  readonly label: string;
  readonly description?: string;
  readonly kind: ProcessKind;
  readonly containmentMode: 0 | 1 | 2;
  readonly epcis: { readonly type: string; readonly action?: string; readonly bizStep: string; readonly disposition: string };
  readonly fsma204?: { readonly cte: string; readonly assignsTlc: boolean };
  readonly inputs: {
    readonly min: number;
    readonly max: number | null;
    readonly assetTypes: readonly string[];
    readonly consumption: Consumption;
    readonly sameCustodian?: boolean;
  };
  readonly outputs: { readonly min: number; readonly max: number; readonly assetType?: string; readonly coProducts?: readonly string[] };
  readonly tlc?: { readonly pattern?: string; readonly template?: string };
  readonly metadataSchema: JsonSchema;
  readonly fields?: Readonly<Partial<Record<WellKnown, string>>>;
  readonly kdes?: readonly {
    readonly path: string;
    readonly name: string;
    readonly level: 'required' | 'recommended';
    readonly ref?: string;
  }[];
  readonly footprint?: {
    readonly boundary: string;
    readonly indicators: readonly { readonly indicator: string; readonly path: string; readonly required: boolean }[];
    readonly allocation?: { readonly method: string; readonly factors?: Readonly<Record<string, number>>; readonly rationale?: string };
  };
  readonly documents?: readonly { readonly type: string; readonly required: boolean; readonly visibility?: string }[];
  readonly expiry?: {
    readonly rule: 'none' | 'pointer' | 'duration' | 'inherit_min';
    readonly from?: string;
    readonly duration?: string;
    readonly override?: string;
    readonly capByInputs?: boolean;
  };
  readonly yield?: { readonly min: number; readonly max: number };
  readonly massBalance?: { readonly mode: 'mass' | 'none'; readonly tolerance?: number };
  readonly requiredRoles: readonly Role[];
  readonly visibility?: { readonly public?: readonly string[]; readonly authority?: readonly string[] };
}

/** One published version, as stored. Never changes. */
export class ProcessMap {
  tenantId: string;
  /** The document's `key`. */
  name: string;
  version: string;
  document: ProcessMapDocument;
  /** Of the document's RFC 8785 bytes. */
  cid: string;
  publishedAt: Date;
  /** User or API key id. */
  publishedBy: string;

  static published(
    tenantId: string,
    document: ProcessMapDocument,
    by: { readonly cid: string; readonly at: Date; readonly id: string },
  ): ProcessMap {
    return Object.assign(new ProcessMap(), {
      tenantId,
      name: document.key,
      version: document.version,
      document,
      cid: by.cid,
      publishedAt: by.at,
      publishedBy: by.id,
    });
  }
}

/** A process of a published map: what an event is held against. */
export interface PublishedProcess {
  readonly processType: string;
  readonly process: Process;
  readonly map: ProcessMap;
}

/** The bytes32 of a process on chain: offline computable, the same in every version (domain-decisions §1). */
export const processIdOf = (processType: string): Hex => keccakOf(processType);
/** The bytes32 of an asset type on chain. */
export const assetTypeHash = (assetType: string): Hex => keccakOf(assetType);

export const processIn = (map: ProcessMap, processType: string): PublishedProcess | null =>
  Object.hasOwn(map.document.processes, processType) ? { processType, process: map.document.processes[processType]!, map } : null;

/**
 * Roles that may record a process: those the map names; who administers an organisation or the tenant stands in for an
 * operator (the table of api-decisions §2).
 */
export const rolesFor = (process: Process): readonly Role[] =>
  process.requiredRoles.includes('OPERATOR') ? [...process.requiredRoles, 'ADMIN', 'TENANT_ADMIN'] : process.requiredRoles;
