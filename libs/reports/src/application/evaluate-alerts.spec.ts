import { EngineUnavailable, newId } from '#kernel';
import type { TenantTx, UnitOfWork } from '#persistence';
import { describe, expect, it } from '@jest/globals';
import type { AlertBook, AlertCircumstances, AlertRounds, AlertSource, AlertSources, Round, SourceName } from '../alerts.ports.js';
import { EvaluateAlerts } from './evaluate-alerts.js';
import type { NarrateAlerts } from './narrate-alerts.js';

/** A round over three sources, of which the second fails with `fault`. */
function roundWith(fault: Error) {
  const looked: SourceName[] = [];
  const rounds: Round[] = [];
  const source = (name: SourceName) =>
    ({
      atOnce: 1,
      fresh: async () => {
        looked.push(name);
        if (name === 'event') throw fault;
        return { ids: [], place: null, more: false };
      },
    }) as unknown as AlertSource;
  const evaluate = new EvaluateAlerts(
    { inTransaction: (_: object, work: (tx: TenantTx) => Promise<unknown>) => work({} as TenantTx) } as unknown as UnitOfWork,
    { names: ['lot', 'event', 'pointer'], of: source } as unknown as AlertSources,
    { read: async () => ({ digest: '' }) } as unknown as AlertCircumstances,
    { standing: async () => [] } as unknown as AlertBook,
    {
      walk: async () => ({ place: null, againAfter: null }),
      walked: async () => {},
      countLots: async () => {},
      done: async (_: TenantTx, round: Round) => void rounds.push(round),
    } as unknown as AlertRounds,
    { position: async () => ({ head: 7, final: 5 }), isMadeAnew: async () => false },
    {} as NarrateAlerts,
    { now: () => new Date('2026-11-28T10:00:00Z') },
  );
  return { looked, rounds, round: evaluate.evaluate(newId(), 3_600_000) };
}

describe('a round of alerts', () => {
  it('goes on behind a source that fails, is written down as not complete, and tells of it', async () => {
    const fault = new Error('a row that cannot be read');
    const { looked, rounds, round } = roundWith(fault);
    await expect(round).rejects.toMatchObject({ cause: fault });
    expect(looked).toEqual(['lot', 'event', 'pointer']);
    // With its usual rest: the next round would fail as this one did.
    expect(rounds).toMatchObject([{ complete: false, block: 7, nextAt: new Date('2026-11-28T11:00:00Z') }]);
  });

  it('ends where an engine is away', async () => {
    const { looked, rounds, round } = roundWith(new EngineUnavailable('database'));
    await expect(round).rejects.toBeInstanceOf(EngineUnavailable);
    expect([looked, rounds]).toEqual([['lot', 'event'], []]);
  });
});
