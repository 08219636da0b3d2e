import type { TenantTx } from '#persistence';

/** The edges of a tenant in memory, both ways: a walk of it is the limit of what a walk can be. */
export class EdgesInMemory {
  private constructor(
    private readonly down: ReadonlyMap<number, readonly number[]>,
    private readonly up: ReadonlyMap<number, readonly number[]>,
  ) {}

  static async load(tx: TenantTx): Promise<EdgesInMemory> {
    const rows = await tx.sql<{ f: number; t: number }>(
      'select from_token::float8 as f, to_token::float8 as t from traceability.edge where tenant_id = $1 and void_block is null',
      [tx.tenantId],
    );
    const [down, up] = [new Map<number, number[]>(), new Map<number, number[]>()];
    for (const { f, t } of rows) {
      add(down, f, t);
      add(up, t, f);
    }
    return new EdgesInMemory(down, up);
  }

  /** Lots with their shortest distance, breadth first. */
  walk(root: number, direction: 'ancestors' | 'descendants', most = Number.POSITIVE_INFINITY): Map<number, number> {
    const next = direction === 'descendants' ? this.down : this.up;
    const found = new Map([[root, 0]]);
    let level = [root];
    for (let depth = 1; level.length > 0; depth++) {
      const fresh: number[] = [];
      for (const source of level)
        for (const target of next.get(source) ?? []) {
          if (found.has(target)) continue;
          found.set(target, depth);
          fresh.push(target);
          if (found.size > most) return found;
        }
      level = fresh;
    }
    return found;
  }
}

function add(to: Map<number, number[]>, key: number, value: number): void {
  const values = to.get(key);
  if (values) values.push(value);
  else to.set(key, [value]);
}
