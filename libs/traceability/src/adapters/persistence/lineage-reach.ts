import type { TenantTx } from '#persistence';
import type { AsOf, WalkBounds } from '../../contract.js';
import type { EdgeKind } from '../../domain/edge.js';

/** A lot as a walk finds it: `role` tells ways of being found apart that lead on differently. */
export interface Found {
  readonly tokenId: bigint;
  readonly role: number;
}

/**
 * How a walk goes on from a lot: SQL that selects `token_id` and `role` of the neighbours of `r.token_id`, found in `r.role`.
 * `$1` is the tenant, `$2` the block that counts.
 */
export type Steps = string;

const LIVE = '(e.void_block is null or e.void_block > $2::bigint) and ($2::bigint is null or e.block_number <= $2::bigint)';

/**
 * Steps along the edges at a lot that were there at the time; voided events are passed over.
 * @param end of the edge where the walk stands
 * @param role of the lots at the other end
 */
export const stepsAlong = (end: 'from' | 'to', kinds: readonly EdgeKind[], role = 0): Steps =>
  `select e.${end === 'from' ? 'to' : 'from'}_token as token_id, ${role} as role from traceability.edge e
   where e.tenant_id = $1 and e.${end}_token = r.token_id and e.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')}) and ${LIVE}`;

export interface Reached extends Found {
  /** Steps from the starts, the fewest; beyond `maxDepth` it is `maxDepth` + 1. */
  readonly depth: number;
}

/** No lot has this id: the row that counts the levels. */
const CLOCK = -1;

/**
 * The lots that can be reached, each once for each role, in the order of their distance: one recursive statement with a visited set
 * (`union`), so that diamonds do not multiply, and with an end (`limit`), so that it finds one more than was asked for at most. The lateral
 * keeps the planner to the index: one look-up a lot, whatever it believes about the number of lots in a level.
 *
 * A row that walks along counts the levels, which the rows then need not carry: a lot that is found again further away stays the same
 * row. It stands in front of its level, because the work table is read in the order in which it was written.
 */
export async function reach(tx: TenantTx, starts: readonly Found[], steps: Steps, bounds: WalkBounds, asOf: AsOf): Promise<Reached[]> {
  const levels = bounds.maxDepth + 1;
  const most = starts.length + bounds.maxNodes + 1;
  const rows = await tx.sql<{ token_id: string; role: number }>(
    `with recursive r(token_id, role) as (
       select * from unnest($3::bigint[], $4::integer[])
       union
       select s.token_id, s.role from r cross join lateral (
         ${steps}
         union all
         select ${CLOCK}, r.role + 1 where r.token_id = ${CLOCK} and r.role < $6::integer
         offset 0) s
     )
     select token_id, role from r limit $5`,
    [
      tx.tenantId,
      asOf,
      [CLOCK, ...starts.map(({ tokenId }) => tokenId)],
      [0, ...starts.map(({ role }) => role)],
      most + levels + 1,
      levels,
    ],
  );
  const reached: Reached[] = [];
  let depth = 0;
  for (const row of rows) {
    const tokenId = BigInt(row.token_id);
    if (tokenId === BigInt(CLOCK)) depth = row.role;
    else reached.push({ tokenId, role: row.role, depth });
  }
  // The clock counted towards the end as if it went through all levels.
  return reached.slice(0, most);
}

/** Neighbours of a level that are not known yet, lowest token id first. */
export async function nextLevel(
  tx: TenantTx,
  level: readonly Found[],
  steps: Steps,
  known: readonly bigint[],
  limit: number,
  asOf: AsOf,
): Promise<Found[]> {
  const rows = await tx.sql<{ token_id: string; role: number }>(
    `select distinct s.token_id, s.role
     from unnest($3::bigint[], $4::integer[]) as r(token_id, role) cross join lateral (${steps} offset 0) s
     where s.token_id not in (select * from unnest($5::bigint[])) order by s.token_id, s.role limit $6`,
    [tx.tenantId, asOf, level.map(({ tokenId }) => tokenId), level.map(({ role }) => role), known, limit],
  );
  return rows.map((row) => ({ tokenId: BigInt(row.token_id), role: row.role }));
}

/** Those of the lots that lead to something that is not known: where a walk that was cut goes on. */
export async function leadingOn(
  tx: TenantTx,
  lots: readonly Found[],
  steps: Steps,
  known: readonly bigint[],
  asOf: AsOf,
): Promise<bigint[]> {
  const rows = await tx.sql<{ token_id: string }>(
    `select distinct r.token_id from unnest($3::bigint[], $4::integer[]) as r(token_id, role)
     where exists (select from (${steps}) s where s.token_id not in (select * from unnest($5::bigint[]))) order by 1`,
    [tx.tenantId, asOf, lots.map(({ tokenId }) => tokenId), lots.map(({ role }) => role), known],
  );
  return rows.map((row) => BigInt(row.token_id));
}
