import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import type { TraceabilityClient } from '#client';
import { HeavyWork } from '#http';
import { ChangeTenant, CreateTenant, OPERATOR } from '#identity';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';

type Json = Record<string, any>;

/** Narrow enough to be used up. */
const TIERS = {
  standard: {
    requestsPerMinute: 1_000_000,
    eventsPerMonth: 10,
    storedBytes: 1_000_000,
    keys: 3,
    subscriptions: 2,
    members: 20,
    organisations: 20,
    sites: 3,
    wallets: 3,
  },
  enterprise: { requestsPerMinute: 1_000_000, eventsPerMonth: 1_000, storedBytes: 1_000_000, keys: 10, subscriptions: 10 },
};

const REPORT = '/api/v1/reports/yield';

describe('the quotas of a tier', () => {
  let world: World;
  let admin: TraceabilityClient;
  let farm: Company;

  beforeAll(async () => {
    world = await World.start({ TIERS: JSON.stringify(TIERS), HEAVY_SLOTS: '2', HEAVY_WAITING_PER_TENANT: '4' });
    admin = await world.admin('rice');
    farm = await world.company('rice', 'farmA');
  });
  afterAll(() => world?.close());

  const usage = (): Promise<Json> => admin.get('/api/v1/usage');
  const { metadata } = readScenario('rice').steps[0] as unknown as { metadata: Json };
  let codes = 0;
  const prepare = (more: Json = {}): Promise<Json> =>
    farm.api.post('/api/v1/events/prepare', {
      processType: 'RICE_HARVESTING',
      outputTlc: `RH-20261101-Q${++codes}`,
      metadata: { ...metadata, ...more },
    });
  /** How many requests succeeded; the others exceeded the quota. */
  async function taken(attempts: readonly Promise<unknown>[]): Promise<number> {
    const outcomes = await Promise.allSettled(attempts);
    const refused = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map(({ reason }) => reason as { code: string; status: number });
    for (const { code, status } of refused) expect([status, code]).toEqual([429, 'quota_exceeded']);
    return outcomes.length - refused.length;
  }
  const twenty = <T>(attempt: (i: number) => Promise<T>): Promise<T>[] => Array.from({ length: 20 }, (_, i) => attempt(i));

  it('are shown to every member, with the usage', async () => {
    const before = await usage();
    expect(before).toMatchObject({
      tier: 'standard',
      month: `${new Date().toISOString().slice(0, 7)}-01`,
      requests: { perMinute: 1_000_000 },
      events: { used: 0, limit: 10 },
      apiKeys: { used: 0, limit: 3 },
      subscriptions: { used: 0, limit: 2 },
    });
    await prepare();
    const after = await farm.api.get<Json>('/api/v1/usage');
    expect(after['events'].used).toBe(1);
    expect(after['storedBytes'].used).toBeGreaterThan(before['storedBytes'].used + 500);
  });

  it('are not exceeded by many requests at once', async () => {
    expect(await taken(twenty(() => prepare()))).toBe(9);
    expect(await taken(twenty((i) => admin.post('/api/v1/api-keys', { name: `k${i}`, roles: ['OPERATOR'] })))).toBe(3);
    expect(await taken(twenty((i) => admin.webhooks.create(world.sink.url(`/${i}`), ['nft.created'])))).toBe(2);
    expect(await usage()).toMatchObject({
      events: { used: 10, limit: 10 },
      apiKeys: { used: 3, limit: 3 },
      subscriptions: { used: 2, limit: 2 },
    });
  });

  it('refuse a request with the name of the quota, and store nothing of it', async () => {
    const { total } = await admin.get<{ total: number }>('/api/v1/events?status=prepared');
    await expect(prepare()).rejects.toMatchObject({ status: 429, code: 'quota_exceeded', body: { quota: 'events', limit: 10 } });
    expect((await admin.get<{ total: number }>('/api/v1/events?status=prepared')).total).toBe(total);
    expect(total).toBe(10);
  });

  it('have room again when a key is revoked or a subscription deleted', async () => {
    const [key] = (await admin.get<{ data: { id: string }[] }>('/api/v1/api-keys')).data;
    await admin.request('DELETE', `/api/v1/api-keys/${key!.id}`);
    await admin.post('/api/v1/api-keys', { name: 'again', roles: ['OPERATOR'] });
    const [webhook] = await admin.webhooks.list();
    await admin.webhooks.delete(webhook!.id);
    await admin.webhooks.create(world.sink.url('/again'), ['nft.created']);
  });

  it('bound what administrators type: members, organisations, and sites and wallets of one', async () => {
    const { members, organisations } = await usage();
    const invite = (i: number): Promise<Json> =>
      admin.post('/api/v2/members', { email: `one-of-many-${i}@rice.example`, roles: ['OPERATOR'] });
    const invitations = twenty(invite);
    expect(await taken(invitations)).toBe(20 - members.used);
    const invited = await Promise.allSettled(invitations);
    // Who is removed and has never accepted still takes a place; the same person again takes no other.
    const [first] = invited.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await admin.request('DELETE', `/api/v2/members/${first!['id']}`);
    await expect(invite(21)).rejects.toMatchObject({
      status: 429,
      code: 'quota_exceeded',
      body: { quota: 'members', limit: 20, errors: [{ pointer: '/email', code: 'quota_exceeded' }] },
    });
    expect(await admin.post<Json>('/api/v2/members', { email: first!['email'], roles: ['AUDITOR'] })).toMatchObject({ id: first!['id'] });

    expect(await taken(twenty((i) => admin.post('/api/v1/organisations', { name: `Org ${i}` })))).toBe(20 - organisations.used);
    const { data } = await admin.get<{ data: Json[] }>('/api/v1/organisations?search=Org%20');
    const at = (path: string): string => `/api/v1/organisations/${data[0]!['id']}${path}`;
    expect(await taken(twenty((i) => admin.post(at('/sites'), { name: `Site ${i}` })))).toBe(3);
    const addresses = Array.from({ length: 20 }, () => Wallet.createRandom().address);
    expect(await taken(twenty((i) => admin.post(at('/wallets'), { address: addresses[i] })))).toBe(3);
    const { wallets } = await admin.get<{ wallets: { address: string }[] }>(at(''));
    await admin.post(at('/wallets'), { address: wallets[0]!.address, label: 'The same again' });
    await admin.post(`/api/v1/organisations/${data[1]!['id']}/sites`, { name: 'Site of another' });
    expect(await usage()).toMatchObject({
      members: { used: 20, limit: 20 },
      organisations: { used: 20, limit: 20 },
      eachOrganisation: { sites: 3, wallets: 3 },
    });
  });

  it('change at once with the tier, and the change is in the audit log', async () => {
    await world.service.app.get(ChangeTenant, { strict: false }).changeTier('rice', 'enterprise', OPERATOR);
    expect(await usage()).toMatchObject({ tier: 'enterprise', events: { used: 10, limit: 1_000 } });
    await prepare();
    const audit = await admin.get<{ data: Json[] }>('/api/v1/audit');
    expect(audit.data[0]).toMatchObject({ action: 'tenant.tier_changed', details: { from: 'standard', to: 'enterprise' } });
    await expect(world.service.app.get(ChangeTenant, { strict: false }).changeTier('rice', 'golden', OPERATOR)).rejects.toMatchObject({
      status: 422,
      code: 'unknown_tier',
    });
    const golden = { slug: 'golden-rice', name: 'Golden rice', tier: 'golden' };
    await expect(world.service.app.get(CreateTenant, { strict: false }).create(golden)).rejects.toMatchObject({ code: 'unknown_tier' });
  });

  it('count the stored bytes of events and notes', async () => {
    // Sealed and written as base64url it takes a third more.
    const note = 'x'.repeat(150_000);
    const before = (await usage())['storedBytes'].used as number;
    const sent = [0, 1, 2, 3, 4].map((i) => prepare({ [`note${i}`]: note }));
    const went = await taken(sent);
    const after = (await usage())['storedBytes'].used as number;
    expect(after - before).toBeGreaterThan(went * 150_000);
    expect(after).toBeLessThanOrEqual(1_000_000);
    expect(went).toBe(Math.floor((1_000_000 - before) / ((after - before) / went)));
  });

  it("of heavy requests are a tenant's own: another tenant has its report meanwhile", async () => {
    const heavy = world.service.app.get(HeavyWork, { strict: false });
    const { tenantUuid: tenant } = await admin.get<{ tenantUuid: string }>('/api/v2/auth/me');
    const leave = await heavy.enter({ tenant, principal: 'somebody' }, new AbortController().signal);
    const reports = Array.from({ length: 40 }, () => admin.answer('GET', REPORT));
    const refusals: Response[] = [];
    for (const report of reports)
      void report.then((answer) => {
        if (answer.status === 429) refusals.push(answer);
      });
    await eventually('what finds no place is refused', async () => refusals.length === 38);
    expect(heavy.load).toEqual({ running: 1, waiting: 2 });
    const refused = refusals[0]!;
    expect([refused.headers.get('retry-after'), await refused.json()]).toMatchObject(['5', { code: 'too_many_heavy_requests', limit: 2 }]);
    const wool = await world.admin('wool');
    await wool.get(REPORT);
    await admin.get('/api/v1/nfts');
    expect(heavy.load).toEqual({ running: 1, waiting: 2 });
    leave();
    expect((await Promise.all(reports)).filter(({ status }) => status === 200)).toHaveLength(2);
  });
});
