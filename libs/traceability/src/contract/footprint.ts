import type { TenantTx } from '#persistence';
import type { Footprint } from '../footprint/footprint.js';
import type { AsOf, WalkBounds } from './lineage.js';

export interface TreeFootprint extends Footprint {
  readonly tokenId: bigint;
  readonly tlc: string;
  /** Part of its mass that is of known origin under its process map (ISO 22095), 0 to 1; null where that is unknown. */
  readonly claimShare: number | null;
  /** Lots in the tree: the ones asked about and what they were made from. */
  readonly nodeCount: number;
}

/** Carbon, water, energy and waste of a lot's tree (docs/spec/domain.md#footprint). */
export abstract class Footprints {
  /**
   * @param tokenId a lot; of a container, what was packed into it
   * @param asOf the block up to which the chain counts; null = all of it
   * @throws DomainError 404 `lot_not_found`, 422 `footprint_incomplete` where the tree exceeds the bounds: a part would be a wrong sum
   */
  abstract of(tx: TenantTx, tokenId: bigint, bounds: WalkBounds, asOf: AsOf): Promise<TreeFootprint>;
}
