import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { readDemoFile } from '../../apps/cli/src/demo/demo-file.js';
import { runCommand } from '../harness/command-line.js';
import { World } from '../harness/world.js';

/** docs/adr/0031-a-reset-is-a-new-sandbox.md. */
describe('a sandbox with test data', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
    await world.play('rice', 1);
  });
  afterAll(() => world?.close());

  const sandbox = (...args: string[]) =>
    runCommand(['sandbox', ...args], { ...world.environment, CHAIN_RPC_URLS: world.demo.rpcUrl, CHAIN_CONFIRMATIONS: '1' });
  const saved = () => readDemoFile(world.environment['DATA_DIR']!)!;
  const adminOf = async (slug: string): Promise<TraceabilityClient> => {
    const { email, password } = saved().tenants.find((tenant) => tenant.slug === slug)!.admin;
    return TraceabilityClient.login(world.baseUrl, email, password, slug);
  };
  const lotsOf = async (api: TraceabilityClient): Promise<number> => (await api.lots.list({ limit: 1 })).total;

  it('has the lots of its scenario, in a contract of its own; the tenant of the same scenario is as before', async () => {
    const rice = await world.admin('rice');
    const before = [await lotsOf(rice), await rice.get('/api/v1/chain')];
    const { code, stdout, stderr } = await sandbox('trial', '--scenario', 'rice');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Sandbox trial: admin@trial\.example {3}\S+/);
    const trial = await adminOf('trial');
    expect(await lotsOf(trial)).toBeGreaterThan(5);
    expect((await trial.lots.byTlc('RP262641')).tlc).toBe('RP262641');
    expect(saved().tenants.at(-1)!.contract).not.toBe(world.tenant('rice').contract);
    expect([await lotsOf(rice), await rice.get('/api/v1/chain')]).toEqual(before);
  });

  it('is reset by a new one that takes its place, with wallets that nobody had; the old one is suspended', async () => {
    const old = saved().tenants.find(({ slug }) => slug === 'trial')!;
    const { code, stderr } = await sandbox('trial-2', '--scenario', 'wool', '--instead-of', 'trial');
    expect([code, stderr]).toEqual([0, '']);
    expect(await lotsOf(await adminOf('trial-2'))).toBeGreaterThan(3);
    expect(saved().tenants.map(({ slug }) => slug)).not.toContain('trial');
    const addresses = Object.values(saved().tenants.at(-1)!.actors).map(({ address }) => address);
    for (const { address } of Object.values(old.actors)) expect(addresses).not.toContain(address);
    await expect(TraceabilityClient.login(world.baseUrl, old.admin.email, old.admin.password, 'trial')).rejects.toMatchObject({
      status: 403,
    });
  });

  it('takes the place of no tenant that is no sandbox, and of no other name', async () => {
    const tenants = saved().tenants.map(({ slug }) => slug);
    for (const [args, sentence] of [
      [['trial-3', '--instead-of', 'rice'], 'rice is no sandbox of this service: nothing was changed.'],
      [['rice'], 'There is a tenant rice already.'],
      [['trial-2'], 'There is a tenant trial-2 already.'],
      [['Trial 4'], 'small letters'],
      [['trial-4', '--scenario', 'tea'], 'There is no scenario tea.'],
    ] as const) {
      const { code, stderr } = await sandbox(...args);
      expect([args, code]).toEqual([args, 1]);
      expect(stderr).toContain(sentence);
    }
    expect(saved().tenants.map(({ slug }) => slug)).toEqual(tenants);
    expect(await lotsOf(await world.admin('rice'))).toBeGreaterThan(0);
  });
});
