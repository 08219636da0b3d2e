import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ContractFactory, Interface, JsonRpcProvider, NonceManager, Wallet, id as hashOf } from 'ethers';
import { accountAddress, deployAccount, keyIdOf } from '#chain';
import { type TestAnvil, devWallet, startTestAnvil } from '#chain/testing';
import { PasskeySigner, rpIdHashOf } from '#client';
import { passkeyAccountAbi, passkeyAccountFactoryAbi } from '#contracts';
import { passkeyAccountFactoryBytecode } from '#contracts/bytecode';
import { newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { transactionsPersistence } from '#transactions';
import { RelaysQueries } from '#transactions/testing';
import { CHAIN_ID } from '../engines/sponsor-world.js';
import { Authenticator } from '../harness/authenticator.js';
import { eventually } from '../harness/eventually.js';

/** `npm run test:chaos` asks for 10,000 and 20 kills; `npm test` runs the short form. */
const CALLS = Number(process.env['CHAOS_RELAYS'] ?? 200);
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 4);
const ACCOUNTS = 20;
const LANES = 7;
const DOMAIN = 'localhost';
/** Deadlines are at most ten minutes ahead, so not everything waits at once. */
const MOST_WAITING = 300;
const PLENTY = 10n ** 17n;

interface Person {
  readonly signer: PasskeySigner;
  readonly deploy: string;
  readonly keyId: string;
}

describe(`${CALLS} relayed calls through ${KILLS} kills of two sponsors`, () => {
  const tenantId = newId();
  const sponsor = Wallet.createRandom();
  const relays = new RelaysQueries();
  const account = new Interface(passkeyAccountAbi);
  const ids: string[] = [];
  const sponsors: ChildProcess[] = [];
  let database: TestDatabase;
  let anvil: TestAnvil;
  let provider: JsonRpcProvider;
  let factory: string;
  let people: Person[];
  const openAtKill: number[] = [];

  beforeAll(async () => {
    [database, anvil] = await Promise.all([cloneTestDatabase([transactionsPersistence]), startTestAnvil()]);
    provider = new JsonRpcProvider(anvil.url, undefined, { staticNetwork: true, cacheTimeout: -1, pollingInterval: 20 });
    const dev = new NonceManager(new Wallet(devWallet(0).privateKey, provider));
    const deployed = await new ContractFactory(passkeyAccountFactoryAbi, passkeyAccountFactoryBytecode, dev).deploy();
    await deployed.waitForDeployment();
    factory = await deployed.getAddress();
    await provider.send('anvil_setBalance', [sponsor.address, '0x56bc75e2d63100000']);
    people = Array.from({ length: ACCOUNTS }, (_, i) => person(i));
    sponsors.push(await started(), await started());
    await relayAll();
    await eventually('nothing waits', async () => (await waiting()) === 0, { withinMs: 600_000, everyMs: 100 });
  }, 1_800_000);
  afterAll(async () => {
    await Promise.all(sponsors.map(kill));
    provider?.destroy();
    await anvil?.stop();
    await database?.drop();
  });

  const person = (i: number): Person => {
    const device = new Authenticator();
    const { x = '', y = '' } = device.publicKey.export({ format: 'jwk' });
    const word = (text: string): string => `0x${Buffer.from(text, 'base64url').toString('hex')}`;
    const key = { x: word(x), y: word(y), rpIdHash: rpIdHashOf(DOMAIN) };
    const config = { salt: hashOf(`account ${i}`), guarded: false, keys: [key] };
    const signer = new PasskeySigner({ address: accountAddress(factory, config), chainId: CHAIN_ID, key }, ({ publicKey }) =>
      Promise.resolve(device.get({ challenge: String(publicKey['challenge']), rpId: DOMAIN })),
    );
    return { signer, deploy: deployAccount(config), keyId: keyIdOf(key) };
  };

  const started = async (): Promise<ChildProcess> => {
    const script = fileURLToPath(new URL('./sponsor-process.js', import.meta.url));
    const settings = JSON.stringify({ endpoint: database.endpoint, url: anvil.url, privateKey: sponsor.privateKey });
    const child = spawn(process.execPath, [script, settings], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };

  /** Each signs a call that changes nothing; its account says in its log that it ran. */
  const relay = async (i: number): Promise<void> => {
    const { signer, deploy, keyId } = people[i % ACCOUNTS]!;
    const lane = Math.floor(i / ACCOUNTS) % LANES;
    const sequence = Math.floor(i / (ACCOUNTS * LANES));
    const deadline = Math.floor(Date.now() / 1_000) + 580;
    const calls = [{ to: factory, data: new Interface(passkeyAccountFactoryAbi).encodeFunctionData('implementation') }];
    const data = await signer.signCalls(calls, { lane, sequence, deadline });
    const id = newId();
    ids.push(id);
    const place = { keyId, lane, sequence, deadline: new Date(deadline * 1_000) };
    const about = { tenantId, id, chainId: CHAIN_ID, account: signer.address, userId: newId(), passkeyId: 'p', paidBy: sponsor.address };
    await database.unitOfWork.inTransaction({ tenantId }, (tx) =>
      relays.insert(tx, {
        ...{ ...about, ...place, data, factory, deploy, prepared: [], batchWei: PLENTY, deployWei: PLENTY },
        createdAt: new Date(),
      }),
    );
  };
  const waiting = (): Promise<number> =>
    database.unitOfWork.readAsSystem(async (tx) => {
      const [row] = await tx.sql<{ n: number }>("select count(*)::int as n from transactions.relay where status in ('queued', 'sent')");
      return row!.n;
    });
  const relayAll = async (): Promise<void> => {
    let killing: Promise<void> = Promise.resolve();
    for (let i = 0; i < CALLS; i += 1) {
      if (i % 50 === 0) await eventually('room', async () => (await waiting()) < MOST_WAITING, { withinMs: 600_000 });
      await relay(i);
      if ((i + 1) % (CALLS / KILLS) !== Math.floor(CALLS / KILLS / 2)) continue;
      await killing;
      await relay((i += 1));
      killing = killWhileTheyWork(openAtKill.length);
    }
    await killing;
  };

  /** One of them, and each second time both. */
  const killWhileTheyWork = async (n: number): Promise<void> => {
    await pause(Math.random() * 40);
    const dying = n % 2 === 0 ? [0, 1] : [Math.floor(n / 2) % 2];
    const dead = dying.map((one) => kill(sponsors[one]!));
    openAtKill.push(await waiting());
    await Promise.all(dead);
    for (const one of dying) sponsors[one] = await started();
  };

  it('lands each exactly once', async () => {
    const states = await database.unitOfWork.readAsSystem((tx) => relays.ofIds(tx, ids));
    expect(ids.filter((id) => states.get(id)?.status !== 'mined')).toEqual([]);
    const topics = [account.getEvent('Executed')!.topicHash];
    const logs = await provider.getLogs({ fromBlock: 0, topics });
    const ran = logs.map((log) => [log.address, ...account.parseLog(log)!.args.slice(0, 3)].join(' '));
    expect([ids.length, ran.length, new Set(ran).size]).toEqual([CALLS, CALLS, CALLS]);
  });

  it('uses one nonce for each call and each account, and none for anything else', async () => {
    const ledger = await database.unitOfWork.readAsSystem((tx) =>
      tx.sql<{ kind: string; n: number }>(
        'select kind, count(*)::int as n from transactions.sponsor_transaction where settled and mined_hash is not null group by kind order by kind',
      ),
    );
    expect(ledger).toEqual([
      { kind: 'deploy', n: ACCOUNTS },
      { kind: 'relay', n: CALLS },
    ]);
    expect(await provider.getTransactionCount(sponsor.address)).toBe(CALLS + ACCOUNTS);
  });

  it('was killed while calls waited', () => {
    expect(openAtKill).toHaveLength(KILLS);
    expect(openAtKill.filter((open) => open > 0).length).toBeGreaterThan(KILLS / 2);
  });
});
