import { describe, expect, it } from '@jest/globals';
import { Clock, EngineUnavailable } from '#kernel';
import type { UnitOfWork } from '#persistence';
import type { DirectMessages } from '#webhooks';
import type { QuerySubscriptionQueries } from './query-subscriptions.queries.js';
import { type MatchingEvents, SendQueryResults } from './send-query-results.js';

const TENANT = { tenantId: 'b7f8f8a6-5a0e-4f5c-9a5e-0f6a3a1d2c11', slug: 'rice' };

/** @param fails by the id of a subscription: what its transaction throws */
function sendingOf(fails: Readonly<Record<string, Error>>): { readonly sending: SendQueryResults; readonly examined: string[] } {
  const examined: string[] = [];
  const unit = {
    read: (_: unknown, work: (tx: unknown) => unknown) => work({}),
    inTransaction: (_: unknown, work: (tx: unknown) => unknown) => work({ sql: () => Promise.resolve([]) }),
  };
  const subscriptions = {
    due: () => Promise.resolve(['a', 'b', 'c']),
    acquire: (_: unknown, id: string) => {
      examined.push(id);
      return fails[id] ? Promise.reject(fails[id]) : Promise.resolve(null);
    },
  };
  const sending = new SendQueryResults(
    unit as unknown as UnitOfWork,
    new Clock(),
    subscriptions as unknown as QuerySubscriptionQueries,
    {} as MatchingEvents,
    { wake: () => Promise.resolve() } as unknown as DirectMessages,
  );
  return { sending, examined };
}

describe('sending what queries find', () => {
  const never = new AbortController().signal;

  it('goes on with the other subscriptions when one fails, and says so at the end', async () => {
    const fault = new Error('a query that fails');
    const { sending, examined } = sendingOf({ a: fault });
    await expect(sending.send(TENANT, never)).rejects.toMatchObject({ errors: [fault] });
    expect(examined).toEqual(['a', 'b', 'c']);
  });

  it('ends at once when an engine is away', async () => {
    const away = new EngineUnavailable('database', new Error('gone'));
    const { sending, examined } = sendingOf({ a: away });
    await expect(sending.send(TENANT, never)).rejects.toBe(away);
    expect(examined).toEqual(['a']);
  });
});
