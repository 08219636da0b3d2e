import { EngineUnavailable } from '#kernel';
import { describe, expect, it } from '@jest/globals';
import { forEachTenant } from './for-each-tenant.js';

const tenants = ['rice', 'wool', 'cacao'].map((tenantId) => ({ tenantId }));
const staying = new AbortController().signal;

describe('tenants that are worked for one after the other', () => {
  it('are all worked for when one of them fails, which is reported with its name', async () => {
    const served: string[] = [];
    const run = forEachTenant(tenants, staying, async ({ tenantId }) => {
      if (tenantId === 'rice') throw new Error('a row that cannot be read');
      served.push(tenantId);
    });
    await expect(run).rejects.toMatchObject({ errors: [{ message: 'tenant rice: a row that cannot be read' }] });
    expect(served).toEqual(['wool', 'cacao']);
  });

  it('wait for an engine that is away, all of them', async () => {
    const served: string[] = [];
    const away = new EngineUnavailable('database');
    const run = forEachTenant(tenants, staying, async ({ tenantId }) => {
      served.push(tenantId);
      throw away;
    });
    await expect(run).rejects.toBe(away);
    expect(served).toEqual(['rice']);
  });

  it('are left to the next process when this one ends', async () => {
    const ending = new AbortController();
    const served: string[] = [];
    await forEachTenant(tenants, ending.signal, async ({ tenantId }) => {
      served.push(tenantId);
      ending.abort();
    });
    expect(served).toEqual(['rice']);
  });
});
