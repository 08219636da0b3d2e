import type { TenantTx, UnitOfWork } from '#persistence';
import { alongEdges, walkLineage } from '#traceability/testing';
import type { EdgesInMemory } from './graph-memory.js';
import { type Spent, spent } from './processor.js';
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

const ROUNDS = 16;
const BOTH_KINDS = ['transformation', 'containment'] as const;

/** The usual first version: it follows all paths, visits a lot once per path, and picks the shortest distance at the end. */
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
  const edges = alongEdges(direction === 'descendants' ? 'from' : 'to', BOTH_KINDS);
  return walkLineage(tx, [{ tokenId: BigInt(root), role: 0 }], edges, { maxDepth, maxNodes }, null);
}

export async function milliseconds<T>(work: () => T | Promise<T>): Promise<{ readonly took: number; readonly result: T }> {
  const from = performance.now();
  const result = await work();
  return { took: performance.now() - from, result };
}

/** The walk, the plain CTE and the walk in memory alternate, so that other load on the machine affects all three equally. */
export async function race({ unitOfWork, tenantId, dataDir }: Track, memory: EdgesInMemory, shape: Shape): Promise<Measurement[]> {
  const runs: Round[] = [];
  let counts: [number, number, number] = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => unitOfWork.inSnapshot({ tenantId }, work);
    const walk = await inTenant((tx) => spent(dataDir, () => ourWalk(tx, shape)));
    const cte = await inTenant((tx) => spent(dataDir, () => plainCte(tx, shape)));
    const inMemory = await spent(dataDir, () => memory.walk(shape.root, shape.direction, shape.maxNodes));
    // The first round reads what the others find in memory.
    if (round > 0) runs.push({ walk, cte, inMemory });
    counts = [walk.result.found.length, cte.result.length, inMemory.result.size - 1];
  }
  const [found, byCte, byMemory] = counts;
  if (found !== Math.min(byMemory, shape.maxNodes) || found !== Math.min(byCte, shape.maxNodes))
    throw new Error(`${shape.name}: the walk found ${found} lots, the CTE ${byCte}, the walk in memory ${byMemory}`);
  return figures(`${shape.name} (${found} lots)`, runs);
}

/** Where a race is run. */
export interface Track {
  readonly unitOfWork: UnitOfWork;
  readonly tenantId: string;
  readonly dataDir: string;
}

interface Round {
  readonly walk: Spent;
  readonly cte: Spent;
  readonly inMemory: Spent;
}

function figures(of: string, runs: readonly Round[]): Measurement[] {
  const ratios = (part: (spent: Spent) => number): number => median(runs.map(({ walk, cte }) => part(walk) / part(cte)));
  const limit = 'at most 1.0 on simple trees';
  const byProcessor = runs.every(({ walk, cte }) => walk.worked !== null && cte.worked !== null);
  return [
    { what: `${of}: walk`, value: median(runs.map(({ walk }) => walk.took)), unit: 'ms' },
    { what: `${of}: plain CTE`, value: median(runs.map(({ cte }) => cte.took)), unit: 'ms' },
    { what: `${of}: in memory, the limit`, value: median(runs.map(({ inMemory }) => inMemory.took)), unit: 'ms' },
    { what: `${of}: walk / plain CTE`, value: ratios(({ took }) => took), unit: '', limit },
    ...(byProcessor ? [{ what: `${of}: walk / plain CTE, processor time`, value: ratios(({ worked }) => worked!), unit: '', limit }] : []),
  ];
}
