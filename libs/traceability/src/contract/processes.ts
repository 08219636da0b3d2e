import type { Hex } from '#kernel';
import type { TenantTx } from '#persistence';

/** What other contexts may know of a published process: the newest version that has it. */
export interface ProcessView {
  readonly processType: string;
  readonly kind: string;
  readonly containmentMode: number;
  /** Asset type of the main output; null where the process makes none. */
  readonly outputAssetType: string | null;
}

/** A published process as it is chosen by from outside. */
export interface CataloguedProcess {
  readonly processType: string;
  readonly mapName: string;
  readonly epcis: { readonly type: string; readonly action?: string; readonly bizStep: string; readonly disposition: string };
  /** Asset types of its inputs; `*` = any. */
  readonly inputAssetTypes: readonly string[];
  readonly outputAssetType: string | null;
  readonly coProducts: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** GTIN of 14 digits to asset type, over its whole map. */
  readonly gtins: ReadonlyMap<string, string>;
}

/** Published processes. */
export abstract class Processes {
  /** By the bytes32 on chain, `keccak256(utf8(processType))`; null when no published map has it. */
  abstract byProcessId(tx: TenantTx, processId: Hex): Promise<ProcessView | null>;
  /** Every process of the newest version of each map. */
  abstract catalogue(tx: TenantTx): Promise<readonly CataloguedProcess[]>;
}
