import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { type Json, type PreparedTx, TraceabilityClient, Sender } from '#client';
import { TABLE_ORIGINS } from '../../apps/cli/src/backup/table-origins.js';
import { operatorWallet } from '../../apps/cli/src/demo/dev-wallets.js';
import { outputOf } from '../harness/command-line.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';

const PASSWORD = 'correct horse battery';

/** The command line, in another process, on the database of a running service. */
describe('administration by commands', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.close());

  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const stdout = await outputOf(args, { ...world.environment, ...env });
    return stdout === '' ? null : JSON.parse(stdout);
  };
  const refusal = (args: readonly string[]): Promise<string> =>
    run(args).then(
      () => 'not refused',
      (error: { stderr: string }) => error.stderr,
    );

  it('creates the first platform administrator, who can then create tenants', async () => {
    const { password } = (await run(['admin', 'create', 'root@platform.example'])) as { password: string };
    const platform = await TraceabilityClient.login(world.baseUrl, 'root@platform.example', password);
    expect((await platform.get<Json>('/api/v2/tenants')).total).toBe(world.demo.tenants.length);
    // Who forgets the password, and gets no mail.
    const { token } = (await run(['user', 'link', 'Root@platform.example'])) as { token: string };
    await new TraceabilityClient(world.baseUrl).post('/api/v2/auth/password/reset', { token, password: PASSWORD });
    await TraceabilityClient.login(world.baseUrl, 'root@platform.example', PASSWORD);
    expect(await refusal(['user', 'link', 'nobody@platform.example'])).toContain('No user has the e-mail');
  });

  it('creates a tenant, its contract, its members and keys', async () => {
    const { address } = Wallet.createRandom();
    const opened = (await run(
      ['tenant', 'create', 'cocoa', '--name', 'Cocoa', '--admin-email', 'admin@cocoa.example', '--admin-wallet', address],
      { TRACE_PASSWORD: PASSWORD },
    )) as { preparedTx: PreparedTx };
    await new Sender(world.node.url, operatorWallet()).sendAndWait(opened.preparedTx);
    await eventually('the contract is known', async () =>
      ((await run(['tenant', 'list'])) as { slug: string; contract: string | null }[]).some(
        ({ slug, contract }) => slug === 'cocoa' && contract !== null,
      ),
    );
    const { id: orgId } = (await run(['organisation', 'add', 'cocoa', 'Roastery', '--gln', '4012345000009'])) as { id: string };
    const wallet = Wallet.createRandom().address;
    const grants = ['--roles', 'OPERATOR', '--wallet', wallet, '--org', orgId];
    const { userId, invitation } = (await run(['member', 'add', 'cocoa', 'op@cocoa.example', ...grants])) as {
      userId: string;
      invitation: { token: string };
    };
    expect(invitation.token).toMatch(/^[\w-]{43}$/);
    const calls = (await run(['member', 'grant', 'cocoa', userId])) as { method: string }[];
    expect(calls.map(({ method }) => method)).toEqual(['setRoles']);
    const members = (await run(['member', 'list', 'cocoa'])) as { email: string; onChain: { agrees: boolean } }[];
    expect(members.map(({ email, onChain }) => [email, onChain.agrees])).toEqual([
      ['admin@cocoa.example', true],
      ['op@cocoa.example', false],
    ]);
    const key = (await run(['key', 'create', 'cocoa', 'ERP', '--roles', 'AUDITOR'])) as { id: string; secret: string };
    const reads = (secret: string): Promise<number> =>
      new TraceabilityClient(world.baseUrl, { apiKey: secret }).lots.list().then(
        () => 200,
        ({ status }: { status: number }) => status,
      );
    expect(await reads(key.secret)).toBe(200);
    const { secret } = (await run(['key', 'rotate', 'cocoa', key.id])) as { secret: string };
    // Another process than the service's: within a second there.
    await eventually('the old secret ends', async () => (await reads(key.secret)) === 401);
    expect(await reads(secret)).toBe(200);
    await run(['key', 'revoke', 'cocoa', key.id]);
    await eventually('the key ends', async () => (await reads(secret)) === 401);
  });

  it('suspends and resumes', async () => {
    const rice = await world.admin('rice');
    const answers = (): Promise<boolean> =>
      rice.lots.list().then(
        () => true,
        () => false,
      );
    await run(['tenant', 'suspend', 'rice', '--reason', 'unpaid']);
    await eventually('rice is out', async () => !(await answers()));
    await run(['tenant', 'resume', 'rice']);
    await eventually('rice is in', answers);
  });

  it('refuses with a clear message', async () => {
    expect(await refusal(['tenant', 'suspend', 'nowhere'])).toBe('No such tenant. (tenant_not_found)\n');
    expect(await refusal(['member', 'add', 'rice', 'x@rice.example', '--roles', 'KING'])).toContain('KING is not a role');
    expect(await refusal(['key', 'revoke', 'rice', 'none'])).toBe('No such API key. (api_key_not_found)\n');
  });

  it('lists who reads the change feeds, and how far each is behind', async () => {
    const rice = await world.admin('rice');
    const { ownerId } = await rice.changes.putConsumer('erp', { topics: ['nft.*'], after: 'latest' });
    const consumers = (await run(['changes', 'consumers'])) as object[];
    expect(consumers).toEqual([{ tenant: 'rice', ownerId, name: 'erp', behind: 0, behindSeconds: 0, usedAt: expect.any(String) }]);
  });

  it('shows what each table and store takes, since when, and what limits it', async () => {
    interface Area {
      readonly name: string;
      readonly count: number;
      readonly bytes: number;
      readonly oldest: string | null;
      readonly kept: string;
    }
    const { tables, stores } = (await run(['storage', '--json'])) as Readonly<Record<'tables' | 'stores', readonly Area[]>>;
    expect(tables.map(({ name }) => name).toSorted()).toEqual(['bullmq', ...Object.keys(TABLE_ORIGINS)].toSorted());
    const audit = tables.find(({ name }) => name === 'identity.audit_entry')!;
    const [entries] = await world.database.unitOfWork.asSystem((tx) =>
      tx.sql<{ count: number; oldest: Date }>('select count(*)::int as count, min(at) as oldest from identity.audit_entry'),
    );
    expect(audit).toEqual({
      name: audit.name,
      count: entries!.count,
      bytes: audit.bytes,
      oldest: entries!.oldest.toISOString(),
      kept: 'AUDIT_KEPT_DAYS',
    });
    expect(audit.bytes).toBeGreaterThan(8_192);
    expect(tables.find(({ name }) => name === 'persistence.migration')!.count).toBeGreaterThan(10);
    const content = stores.find(({ name }) => name.endsWith('content'))!;
    expect([content.count, content.bytes > 1_000, content.oldest !== null]).toEqual([world.storedBlocks(), true, true]);
  });
});
