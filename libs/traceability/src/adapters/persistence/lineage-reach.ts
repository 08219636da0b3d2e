import type { TenantTx } from '#persistence';
import type { AsOf, WalkBounds } from '../../contract.js';
import { EDGE_KINDS, type EdgeKind } from '../../domain/edge.js';
import { idList, idsIn } from './id-lists.js';

/** A lot as a walk finds it: `role` tells ways of being found apart that lead on differently. */
export interface Found {
  readonly tokenId: bigint;
  readonly role: number;
}

/** How a walk goes on from a lot. */
export interface Steps {
  /**
   * Selects `token_id` and `role` of the neighbours of `r.token_id`, found in `r.role`. `$1` is the tenant, `$2` the block that counts.
   */
  readonly sql: string;
  /** In how many roles a lot can be found. */
  readonly roles: number;
}

/** An edge `e` that was there at the time `$2`. */
export const LIVE = '(e.void_block is null or e.void_block > $2::bigint) and ($2::bigint is null or e.block_number <= $2::bigint)';

/**
 * Steps along the edges at a lot that were there at the time; voided events are passed over.
 * @param end of the edge where the walk stands
 * @param role of the lots at the other end
 */
export const stepsAlong = (end: 'from' | 'to', kinds: readonly EdgeKind[], role = 0): Steps => ({
  sql: `select e.${end === 'from' ? 'to' : 'from'}_token as token_id, ${role} as role from traceability.edge e
   where e.tenant_id = $1 and e.${end}_token = r.token_id${ofKinds(kinds)} and ${LIVE}`,
  roles: 1,
});

/** Any of these steps, whose lots are found in the same roles. */
export const eitherOf = (...steps: readonly Steps[]): Steps => ({
  sql: steps.map(({ sql }) => sql).join(' union all '),
  roles: Math.max(...steps.map(({ roles }) => roles)),
});

/** Nothing to ask where every kind will do. */
const ofKinds = (kinds: readonly EdgeKind[]): string =>
  EDGE_KINDS.every((kind) => kinds.includes(kind)) ? '' : ` and e.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})`;

export interface Reached extends Found {
  /** Steps from the starts, the fewest; beyond `maxDepth` it is `maxDepth` + 1. */
  readonly depth: number;
}

/** No lot has this id: the row that counts the levels. */
const CLOCK = -1;

/**
 * The lots that can be reached, each once for each role, in the order of their distance: one recursive statement with a visited set
 * (`union`), so that diamonds do not multiply, and with an end (`limit`), so that it finds one lot more than was asked for at most. The
 * lateral keeps the planner to the index: one look-up a lot, whatever it believes about the number of lots in a level.
 *
 * A row that walks along counts the levels, which the rows then need not carry: a lot that is found again further away stays the same
 * row. It stands in front of its level, because the work table is read in the order in which it was written. What was found comes as one
 * row: ten thousand would cost more to hand over than to find.
 */
export async function reach(tx: TenantTx, starts: readonly Found[], steps: Steps, bounds: WalkBounds, asOf: AsOf): Promise<Reached[]> {
  const levels = bounds.maxDepth + 1;
  const most = starts.length + steps.roles * (bounds.maxNodes + 1);
  const [row] = await tx.sql<{ lots: string; roles: string | null }>(
    `with recursive r(token_id, role) as (
       select * from unnest($3::bigint[], $4::integer[])
       union
       select coalesce(s.token_id, ${CLOCK}), coalesce(s.role, r.role + 1)
       from r left join lateral (${steps.sql} offset 0) s on true
       where s.token_id is not null or r.token_id = ${CLOCK} and r.role < $6::integer
     )
     select string_agg(token_id::text, ',') as lots, ${steps.roles === 1 ? 'null' : `string_agg(role::text, ',')`} as roles
     from (select token_id, role from r limit $5) found`,
    [
      tx.tenantId,
      asOf,
      [CLOCK, ...starts.map(({ tokenId }) => tokenId)],
      [0, ...starts.map(({ role }) => role)],
      most + levels + 1,
      levels,
    ],
  );
  // The clock counted towards the end as if it went through all levels.
  return reachedIn(row!).slice(0, most);
}

function reachedIn({ lots, roles }: { readonly lots: string; readonly roles: string | null }): Reached[] {
  const role = roles?.split(',');
  const reached: Reached[] = [];
  let depth = -1;
  lots.split(',').forEach((token, i) => {
    if (token === String(CLOCK)) depth++;
    else reached.push({ tokenId: BigInt(token), role: role === undefined ? 0 : Number(role[i]), depth });
  });
  return reached;
}

/** Neighbours of a level that are not known yet, lowest token id first, in every role. @param limit of lots */
export async function nextLevel(
  tx: TenantTx,
  level: readonly Found[],
  steps: Steps,
  known: readonly bigint[],
  limit: number,
  asOf: AsOf,
): Promise<Found[]> {
  const [row] = await tx.sql<{ lots: string | null; roles: string | null }>(
    `select string_agg(token_id::text, ',' order by token_id, role) as lots, string_agg(role::text, ',' order by token_id, role) as roles
     from (
       select s.token_id, s.role, dense_rank() over (order by s.token_id) as place
       from unnest($3::bigint[], $4::integer[]) as r(token_id, role) cross join lateral (${steps.sql} offset 0) s
       where s.token_id not in (select * from unnest($5::bigint[])) group by s.token_id, s.role) fresh
     where place <= $6`,
    [tx.tenantId, asOf, idList(level.map(({ tokenId }) => tokenId)), level.map(({ role }) => role), idList(known), limit],
  );
  const roles = row!.roles?.split(',') ?? [];
  return idsIn(row!.lots).map((tokenId, i) => ({ tokenId, role: Number(roles[i]) }));
}

/** Those of the lots that lead to something that is not known: where a walk that was cut goes on. */
export async function leadingOn(
  tx: TenantTx,
  lots: readonly Found[],
  steps: Steps,
  known: readonly bigint[],
  asOf: AsOf,
): Promise<bigint[]> {
  const [row] = await tx.sql<{ lots: string | null }>(
    `select string_agg(distinct r.token_id::text, ',') as lots from unnest($3::bigint[], $4::integer[]) as r(token_id, role)
     where exists (select from (${steps.sql}) s where s.token_id not in (select * from unnest($5::bigint[])))`,
    [tx.tenantId, asOf, idList(lots.map(({ tokenId }) => tokenId)), lots.map(({ role }) => role), idList(known)],
  );
  return idsIn(row!.lots).sort((a, b) => (a < b ? -1 : 1));
}
