import type { TenantTx, UnitOfWork } from '#persistence';
import { stepsAlong, walkLineage } from '#traceability/testing';
import type { EdgesInMemory } from './graph-memory.js';
import { type Measurement, median } from './report.js';

export type Direction = 'ancestors' | 'descendants';

/** One shape of the lineage that all three ways walk. */
export interface Shape {
  readonly name: string;
  readonly root: number;
  readonly direction: Direction;
  readonly maxDepth: number;
  readonly maxNodes: number;
}

const ROUNDS = 9;
const BOTH_KINDS = ['transformation', 'containment'] as const;

/** What one writes first: all paths, each lot as often as paths lead to it, the shortest distance picked in the end. */
export function plainCte(tx: TenantTx, { root, direction, maxDepth }: Omit<Shape, 'name' | 'maxNodes'>): Promise<{ token_id: string }[]> {
  const [near, far] = direction === 'descendants' ? ['from_token', 'to_token'] : ['to_token', 'from_token'];
  return tx.sql(
    `with recursive r(token_id, depth) as (
       select $2::bigint, 0
       union all
       select e.${far}, r.depth + 1 from r
       join traceability.edge e on e.tenant_id = $1 and e.${near} = r.token_id and e.void_block is null
       where r.depth < $3
     )
     select token_id, min(depth) as depth from r where depth > 0 group by token_id order by 2, 1`,
    [tx.tenantId, root, maxDepth],
  );
}

export function ourWalk(tx: TenantTx, { root, direction, maxDepth, maxNodes }: Shape) {
  const steps = stepsAlong(direction === 'descendants' ? 'from' : 'to', BOTH_KINDS);
  return walkLineage(tx, [{ tokenId: BigInt(root), role: 0 }], steps, { maxDepth, maxNodes }, null);
}

export async function milliseconds<T>(work: () => T | Promise<T>): Promise<{ readonly took: number; readonly result: T }> {
  const from = performance.now();
  const result = await work();
  return { took: performance.now() - from, result };
}

/** The walk, the plain CTE and the walk in memory in turn, so that whatever else the machine does meets all three alike. */
export async function race(unitOfWork: UnitOfWork, tenantId: string, memory: EdgesInMemory, shape: Shape): Promise<Measurement[]> {
  const times: Record<'walk' | 'cte' | 'memory', number[]> = { walk: [], cte: [], memory: [] };
  let counts: [number, number, number] = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => unitOfWork.inSnapshot({ tenantId }, work);
    const walk = await inTenant((tx) => milliseconds(() => ourWalk(tx, shape)));
    const cte = await inTenant((tx) => milliseconds(() => plainCte(tx, shape)));
    const inMemory = await milliseconds(() => memory.walk(shape.root, shape.direction, shape.maxNodes));
    times.walk.push(walk.took);
    times.cte.push(cte.took);
    times.memory.push(inMemory.took);
    counts = [walk.result.found.length, cte.result.length, inMemory.result.size - 1];
  }
  const [found, byCte, byMemory] = counts;
  if (found !== Math.min(byMemory, shape.maxNodes) || found !== Math.min(byCte, shape.maxNodes))
    throw new Error(`${shape.name}: the walk found ${found} lots, the CTE ${byCte}, the walk in memory ${byMemory}`);
  const of = `${shape.name} (${found} lots)`;
  return [
    { what: `${of}: walk`, value: median(times.walk), unit: 'ms' },
    { what: `${of}: plain CTE`, value: median(times.cte), unit: 'ms' },
    { what: `${of}: in memory, the limit`, value: median(times.memory), unit: 'ms' },
    { what: `${of}: walk / plain CTE`, value: median(times.walk) / median(times.cte), unit: '', limit: 'at most 1.0 on simple trees' },
  ];
}
