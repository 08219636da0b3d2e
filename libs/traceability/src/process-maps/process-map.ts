import type { ContentClass } from '#envelope';
import { type Hex, keccakOf, type Role } from '#kernel';

/** The process map format of docs/spec/domain.md#process-maps; its JSON Schema is templates/process-map.schema.json. */
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
  /** What one passport is about. Without it, an item where a lot has a serial number, otherwise a lot. */
  readonly granularity?: 'model' | 'batch' | 'item';
  /** IRIs of the vocabularies of its data elements. */
  readonly contentSpecificationIds?: readonly string[];
  /** IRIs of the classes of a product of this type. */
  readonly nodeTypes?: readonly string[];
  readonly dataElements?: readonly DataElementRule[];
}

/** How a passport's data element is made (docs/spec/domain.md#passport-documents). */
export interface DataElementRule {
  readonly id: string;
  readonly path?: string;
  readonly value?: string | number | boolean;
  readonly elements?: readonly DataElementRule[];
  readonly [more: string]: unknown;
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
type ProcessKind = (typeof PROCESS_KINDS)[number];
type Consumption = 'full' | 'partial' | 'none' | 'contained' | 'retired';
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
  | 'productDescription'
  | 'gtin'
  | 'serial';

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
  /** What it makes is its inputs in another life, and its passport links to theirs (docs/spec/domain.md#passport-documents). */
  readonly successor?: boolean;
  readonly tlc?: { readonly pattern?: string; readonly template?: string };
  readonly metadataSchema: JsonSchema;
  readonly fields?: Readonly<Partial<Record<WellKnown, string>>>;
  readonly kdes?: readonly KeyDataElement[];
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
  /** Pointers into the metadata, by who may read what they point at; what none covers is `restricted`. */
  readonly visibility?: { readonly [name in Exclude<ContentClass, 'restricted'>]?: readonly string[] };
}

/** A fact that a rule asks for. It has a `path`, or `oneOf` several of which one is enough. */
export interface KeyDataElement {
  readonly path?: string;
  readonly oneOf?: readonly string[];
  readonly name: string;
  /** `optional`: asked for if applicable, and missed by nobody. */
  readonly level: 'required' | 'recommended' | 'optional';
  readonly ref?: string;
  /** Column of the FSMA 204 sheet (docs/spec/domain.md#fsma-204). */
  readonly column?: string;
  /** `input`: each input has its own, which is stated where the input was made, cooled or received. */
  readonly of?: 'event' | 'input';
}

/** Where it may be: a path, or several of which one is enough. */
export const placesOfKde = ({ path, oneOf }: KeyDataElement): readonly string[] => oneOf ?? (path === undefined ? [] : [path]);

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

/** What a list shows of a published version. */
export interface MapHead extends Pick<ProcessMap, 'name' | 'version' | 'cid' | 'publishedAt' | 'publishedBy'> {
  readonly title: string;
  readonly processes: readonly { readonly processType: string; readonly label: string; readonly kind: ProcessKind }[];
}

export const headOf = ({ name, version, cid, publishedAt, publishedBy, document }: ProcessMap): MapHead => ({
  ...{ name, version, cid, publishedAt, publishedBy, title: document.name },
  processes: Object.entries(document.processes).map(([processType, { label, kind }]) => ({ processType, label, kind })),
});

/** A process of a published map: what an event is held against. */
export interface PublishedProcess {
  readonly processType: string;
  readonly process: Process;
  readonly map: ProcessMap;
}

/** The bytes32 of a process on chain: offline computable, the same in every version (docs/spec/domain.md#process-maps). */
export const processIdOf = (processType: string): Hex => keccakOf(processType);
/** The bytes32 of an asset type on chain. */
export const assetTypeHash = (assetType: string): Hex => keccakOf(assetType);

export const processIn = (map: ProcessMap, processType: string): PublishedProcess | null =>
  Object.hasOwn(map.document.processes, processType) ? { processType, process: map.document.processes[processType]!, map } : null;

/**
 * Roles that may record a process: those the map names; administrators of an organisation or of the tenant may do what an operator
 * may (the table of docs/spec/api.md#identity).
 */
export const rolesFor = ({ requiredRoles }: Pick<Process, 'requiredRoles'>): readonly Role[] =>
  requiredRoles.includes('OPERATOR') ? [...requiredRoles, 'ADMIN', 'TENANT_ADMIN'] : requiredRoles;

const MOST_WORDS = 2_000;
const hashes = new Map<string, Hex>();

/** keccak256 of a process or asset type, remembered: few words come with every event of a history, and the hash is the most expensive part. */
export function wordHash(word: string): Hex {
  const known = hashes.get(word);
  if (known) return known;
  if (hashes.size >= MOST_WORDS) hashes.clear();
  const hash = keccakOf(word);
  hashes.set(word, hash);
  return hash;
}

/** The part of a published process map that landing writes into lots and events. */
export interface MapWords {
  readonly name: string;
  readonly version: string;
  readonly cid: string;
  readonly assetTypes: Readonly<Record<string, { readonly name?: string; readonly gtin?: string; readonly massPerUnitKg?: number }>>;
  readonly defaults: ProcessMapDocument['defaults'] | null;
  readonly processes: Readonly<
    Record<
      string,
      Partial<Pick<Process, 'yield' | 'massBalance' | 'fields' | 'kdes' | 'expiry'>> & {
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
