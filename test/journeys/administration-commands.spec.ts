import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { type Json, type PreparedTx, TraceabilityClient, Sender } from '#client';
import { operatorWallet } from '../../apps/cli/src/demo/dev-wallets.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';

const execute = promisify(execFile);
const PASSWORD = 'correct horse battery';
const MAIN = new URL('../../apps/cli/src/main.js', import.meta.url).pathname;

/** The real command line, in a process of its own, on the database of a running service. */
describe('administration by commands', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.close());

  const trace = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const { stdout } = await execute(process.execPath, ['--no-warnings', MAIN, ...args], {
      env: { PATH: process.env.PATH, ...world.environment, ...env },
      timeout: 60_000,
    });
    return stdout === '' ? null : JSON.parse(stdout);
  };
  const refusal = (args: readonly string[]): Promise<string> =>
    trace(args).then(
      () => 'not refused',
      (error: { stderr: string }) => error.stderr,
    );

  it('makes the first platform administrator, who then opens tenants', async () => {
    const { password } = (await trace(['admin', 'create', 'root@platform.example'])) as { password: string };
    const platform = await TraceabilityClient.login(world.baseUrl, 'root@platform.example', password);
    expect((await platform.get<Json>('/api/v2/tenants')).total).toBe(2);
    // Who forgets the password, and gets no mail.
    const { token } = (await trace(['user', 'link', 'Root@platform.example'])) as { token: string };
    await new TraceabilityClient(world.baseUrl).post('/api/v2/auth/password/reset', { token, password: PASSWORD });
    await TraceabilityClient.login(world.baseUrl, 'root@platform.example', PASSWORD);
    expect(await refusal(['user', 'link', 'nobody@platform.example'])).toContain('Nobody has the e-mail');
  });

  it('makes a tenant, its contract, its people and keys', async () => {
    const { address } = Wallet.createRandom();
    const opened = (await trace(
      ['tenant', 'create', 'cocoa', '--name', 'Cocoa', '--admin-email', 'admin@cocoa.example', '--admin-wallet', address],
      { TRACE_PASSWORD: PASSWORD },
    )) as { preparedTx: PreparedTx };
    await new Sender(world.node.url, operatorWallet()).sendAndWait(opened.preparedTx);
    await eventually('the contract is known', async () =>
      ((await trace(['tenant', 'list'])) as { slug: string; contract: string | null }[]).some(
        ({ slug, contract }) => slug === 'cocoa' && contract !== null,
      ),
    );
    const { id: orgId } = (await trace(['organisation', 'add', 'cocoa', 'Roastery', '--gln', '4012345000009'])) as { id: string };
    const wallet = Wallet.createRandom().address;
    const grants = ['--roles', 'OPERATOR', '--wallet', wallet, '--org', orgId];
    const { userId, invitation } = (await trace(['member', 'add', 'cocoa', 'op@cocoa.example', ...grants])) as {
      userId: string;
      invitation: { token: string };
    };
    expect(invitation.token).toMatch(/^[\w-]{43}$/);
    const calls = (await trace(['member', 'grant', 'cocoa', userId])) as { method: string }[];
    expect(calls.map(({ method }) => method)).toEqual(['setRoles']);
    const members = (await trace(['member', 'list', 'cocoa'])) as { email: string; onChain: { agrees: boolean } }[];
    expect(members.map(({ email, onChain }) => [email, onChain.agrees])).toEqual([
      ['admin@cocoa.example', true],
      ['op@cocoa.example', false],
    ]);
    const key = (await trace(['key', 'create', 'cocoa', 'ERP', '--roles', 'AUDITOR'])) as { id: string; secret: string };
    const reads = (secret: string): Promise<number> =>
      new TraceabilityClient(world.baseUrl, { apiKey: secret }).lots.list().then(
        () => 200,
        ({ status }: { status: number }) => status,
      );
    expect(await reads(key.secret)).toBe(200);
    const { secret } = (await trace(['key', 'rotate', 'cocoa', key.id])) as { secret: string };
    // Another process than the service's: within a second there.
    await eventually('the old secret ends', async () => (await reads(key.secret)) === 401);
    expect(await reads(secret)).toBe(200);
    await trace(['key', 'revoke', 'cocoa', key.id]);
    await eventually('the key ends', async () => (await reads(secret)) === 401);
  });

  it('suspends and resumes', async () => {
    const rice = await world.admin('rice');
    const answers = (): Promise<boolean> =>
      rice.lots.list().then(
        () => true,
        () => false,
      );
    await trace(['tenant', 'suspend', 'rice', '--reason', 'unpaid']);
    await eventually('rice is out', async () => !(await answers()));
    await trace(['tenant', 'resume', 'rice']);
    await eventually('rice is in', answers);
  });

  it('refuses in a sentence', async () => {
    expect(await refusal(['tenant', 'suspend', 'nowhere'])).toBe('No such tenant. (tenant_not_found)\n');
    expect(await refusal(['member', 'add', 'rice', 'x@rice.example', '--roles', 'KING'])).toContain('KING is no role');
    expect(await refusal(['key', 'revoke', 'rice', 'none'])).toBe('No such API key. (api_key_not_found)\n');
  });
});
