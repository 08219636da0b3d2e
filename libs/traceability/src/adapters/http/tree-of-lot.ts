import type { TenantTx } from '#persistence';
import type { Lineage } from '../../contract.js';
import { treeIncomplete } from '../../domain/errors.js';

const BOUNDS = { maxDepth: 200, maxNodes: 20_000 };

/** A lot with everything it was made from and everything that became of it. @throws DomainError 422 `tree_incomplete` */
export async function treeOf(lineage: Lineage, tx: TenantTx, root: bigint): Promise<readonly bigint[]> {
  const found = new Set([root]);
  for (const direction of ['ancestors', 'descendants'] as const) {
    const asked = { root, direction, kinds: ['transformation', 'containment'] as const, bounds: BOUNDS, asOf: null, skip: 0 };
    const { nodes, truncated } = await lineage.graph(tx, asked);
    if (truncated) throw treeIncomplete();
    for (const { tokenId } of nodes) found.add(tokenId);
  }
  return [...found];
}
