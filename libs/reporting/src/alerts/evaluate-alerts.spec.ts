import type { ChainHead } from '#chain';
import { EngineUnavailable, newId } from '#kernel';
import type { TenantTx, UnitOfWork } from '#persistence';
import { describe, expect, it } from '@jest/globals';
import { EvaluateAlerts, type EvaluateSource } from './evaluate-alerts.js';
import type { EvaluationQueries, Run } from './evaluations.queries.js';
import type { SourceName } from './rules/catalogue.js';

/** A run over three sources; the second one fails with `fault`. */
function runWith(fault: Error) {
  const evaluated: SourceName[] = [];
  const runs: Run[] = [];
  const evaluate = new EvaluateAlerts(
    {
      inTransaction: (_: object, work: (tx: TenantTx) => Promise<unknown>) => work({ sql: async () => [] } as unknown as TenantTx),
    } as unknown as UnitOfWork,
    {
      countActiveLots: async () => {},
      saveRun: async (_: TenantTx, run: Run) => void runs.push(run),
    } as unknown as EvaluationQueries,
    {
      names: ['lot', 'event', 'pointer'],
      evaluate: async (_: TenantTx, name: SourceName) => {
        evaluated.push(name);
        if (name === 'event') throw fault;
        return false;
      },
    } as unknown as EvaluateSource,
    { position: async () => ({ head: 7, final: 5 }), isRebuilding: async () => false } as unknown as ChainHead,
    { now: () => new Date('2026-11-28T10:00:00Z') },
  );
  return { evaluated, runs, run: evaluate.evaluate(newId(), 3_600_000) };
}

describe('an evaluation of alerts', () => {
  it('continues after a source that fails, is saved as incomplete, and reports the failure', async () => {
    const fault = new Error('a row that cannot be read');
    const { evaluated, runs, run } = runWith(fault);
    await expect(run).rejects.toMatchObject({ cause: fault });
    expect(evaluated).toEqual(['lot', 'event', 'pointer']);
    // With the usual pause: the next run would fail too.
    expect(runs).toMatchObject([{ complete: false, block: 7, nextAt: new Date('2026-11-28T11:00:00Z') }]);
  });

  it('ends when an engine is unavailable', async () => {
    const { evaluated, runs, run } = runWith(new EngineUnavailable('database'));
    await expect(run).rejects.toBeInstanceOf(EngineUnavailable);
    expect([evaluated, runs]).toEqual([['lot', 'event'], []]);
  });
});
