import type { Profiler } from 'node:inspector';

type Node = Profiler.ProfileNode;

/** Where time went: a package or a folder of this project, and where it was the runtime's own work, what it did for it. */
export type Costs = ReadonlyMap<string, number>;

const IDLE = '(idle)';
const COLLECTION = '(garbage collector)';
/** The runtime between callbacks: nobody's. */
const NOBODYS = new Set(['(program)', '(root)']);

/** Milliseconds by what they went into, without those in which the process was idle. */
export function costsOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Costs {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const names = new Map<number, string | null>();
  const costs = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    if (!names.has(id)) names.set(id, costOf(byId.get(id)!, byId, parents));
    const name = names.get(id)!;
    if (name !== null) costs.set(name, (costs.get(name) ?? 0) + timeDeltas[i]! / 1_000);
  }
  return costs;
}

/** @returns null for a process that has nothing to do */
function costOf(node: Node, byId: ReadonlyMap<number, Node>, parents: ReadonlyMap<number, number>): string | null {
  const { functionName } = node.callFrame;
  if (functionName === IDLE) return null;
  if (functionName === COLLECTION) return 'collection of garbage';
  if (NOBODYS.has(functionName)) return 'the runtime between callbacks';
  let runtime: string | null = null;
  for (let at: Node | undefined = node; at; at = byId.get(parents.get(at.id) ?? -1)) {
    const { url } = at.callFrame;
    const owner = ownerOf(url);
    // Time in the own code of the runtime or in a system call is listed separately: it has another remedy.
    if (owner !== null) return node.callFrame.url === '' ? `${owner}: ${functionName || 'runtime'}` : owner;
    if (url.startsWith('node:')) runtime ??= url.replace('node:internal/', 'node:').split('/')[0]!;
  }
  return `${runtime ?? 'the runtime'}, for nobody${node.callFrame.url === '' ? `: ${functionName || 'runtime'}` : ''}`;
}

function ownerOf(url: string): string | null {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(url);
  if (inPackage) return inPackage[1]!;
  return /dist\/((?:libs|apps)\/[^/]+)\//.exec(url)?.[1] ?? null;
}
