import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { type AffectedLot, Lineage } from '../../contract.js';
import { type Step, type WalkBounds, walkLineage } from './lineage-walk.js';

type Relation = AffectedLot['relation'];

/** A container that merely holds something affected leads to nothing but what stands around it. */
const isCondemned = (relation: Relation): boolean => relation !== 'container';

@Injectable()
export class SqlLineage extends Lineage {
  override async affectedBy(
    tx: TenantTx,
    root: bigint,
    bounds: WalkBounds,
  ): Promise<{ readonly lots: readonly AffectedLot[]; readonly truncated: boolean; readonly frontier: readonly bigint[] }> {
    const walk = await walkLineage<Relation>(
      new Map([[root, 'transformed']]),
      bounds,
      (level) => stepsFrom(tx, level),
      (before, now) => !isCondemned(before) && isCondemned(now),
    );
    return {
      lots: walk.found.map(({ tokenId, depth, node }) => ({ tokenId, depth, relation: node })),
      truncated: walk.truncated,
      frontier: walk.frontier,
    };
  }
}

/** domain-decisions §3: what was made of it, what was packed into it, and the containers around it. Voided events are passed over. */
async function stepsFrom(tx: TenantTx, level: ReadonlyMap<bigint, Relation>): Promise<Step<Relation>[]> {
  const all = [...level.keys()];
  const condemned = all.filter((tokenId) => isCondemned(level.get(tokenId)!));
  const rows = await tx.sql<{ source: string; token_id: string; relation: Relation }>(
    `select from_token as source, to_token as token_id, 'transformed' as relation from traceability.edge
     where tenant_id = $1 and from_token = any($2::bigint[]) and kind = 'transformation' and void_block is null
     union all
     select to_token, from_token, 'contained' from traceability.edge
     where tenant_id = $1 and to_token = any($2::bigint[]) and kind = 'containment' and void_block is null
     union all
     select from_token, to_token, 'container' from traceability.edge
     where tenant_id = $1 and from_token = any($3::bigint[]) and kind = 'containment' and void_block is null`,
    [tx.tenantId, condemned, all],
  );
  return rows.map((row) => ({ source: BigInt(row.source), tokenId: BigInt(row.token_id), node: row.relation }));
}
