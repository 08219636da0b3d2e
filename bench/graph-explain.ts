import { Client, type QueryConfig } from 'pg';
import type { TenantTx } from '#persistence';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Query = (this: Client, asked: string | QueryConfig | { readonly statements: readonly Statement[] }, ...rest: unknown[]) => unknown;

/** Every statement that this process sends to the database while `work` runs, as the driver gets it. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const prototype = Client.prototype as unknown as { query: Query };
  const query = prototype.query;
  const seen: Statement[] = [];
  prototype.query = function (asked, ...rest) {
    const sent = typeof asked === 'string' ? [{ text: asked, values: [] }] : 'statements' in asked ? asked.statements : [asked];
    seen.push(...sent.map(({ text, values }) => ({ text, values: values ?? [] })));
    return query.call(this, asked, ...rest);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return seen;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

export interface Explained {
  readonly pages: number;
  readonly milliseconds: number;
  readonly rows: number;
  /** How tables were read: `lot_current (Index Scan)`. */
  readonly scans: readonly string[];
}

/** Runs a statement again as the same tenant and says what it read. */
export async function explain(tx: TenantTx, { text, values }: Statement): Promise<Explained> {
  type Answer = readonly [{ readonly Plan: PlanNode; readonly 'Execution Time': number }];
  const [row] = await tx.sql<{ 'QUERY PLAN': Answer }>(`explain (analyze, buffers, format json) ${text}`, values);
  const [{ Plan: plan, 'Execution Time': milliseconds }] = row!['QUERY PLAN'];
  return {
    pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    milliseconds,
    rows: plan['Actual Rows'],
    scans: [...new Set(scansIn(plan))],
  };
}

function scansIn(node: PlanNode): string[] {
  const table = node['Index Name'] ?? node['Relation Name'];
  const own = table ? [`${table} (${node['Node Type']})`] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansIn)];
}
