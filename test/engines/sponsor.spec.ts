import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ContractFactory, JsonRpcProvider, NonceManager, Transaction, Wallet, recoverAddress } from 'ethers';
import { deployAccount } from '#chain';
import { type TestAnvil, devWallet, startTestAnvil } from '#chain/testing';
import { passkeyAccountFactoryAbi } from '#contracts';
import { passkeyAccountFactoryBytecode } from '#contracts/bytecode';
import { type Clock, keccakOf, newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { type SponsorReading, sponsorReading, transactionsPersistence } from '#transactions';
import { Pkcs11Signer, RelaysQueries } from '#transactions/testing';
import { CHAIN_ID, type MortalClient, REPLACE_AFTER_MS, sponsorOf } from './sponsor-world.js';

/** Of P-256: a key of every account here; the salt makes them different. */
const BASE_POINT = {
  x: '0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
  y: '0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
};

describe('the sponsor', () => {
  const tenantId = newId();
  let database: TestDatabase;
  let anvil: TestAnvil;
  let provider: JsonRpcProvider;
  let factory: string;
  let sponsor: Wallet;
  let later = 0;
  let givenUp: string[] = [];
  let relayed: string[] = [];
  let configs = 0;

  const relays = new RelaysQueries();
  const clock: Clock = { now: () => new Date(Date.now() + later) };
  const started = (): { readonly client: MortalClient; tick: () => Promise<unknown> } => {
    const { privateKey } = sponsor;
    const { client, run } = sponsorOf({
      ...{ unitOfWork: database.unitOfWork, url: anvil.url, privateKey, clock },
      onGivenUp: (id) => void givenUp.push(id),
    });
    return { client, tick: () => run.tick() };
  };
  /** Each makes an account: the factory takes the place of an account that is there. */
  const queue = async (count: number, seconds = 300, reserved = 10n ** 17n): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const id = newId();
      relayed.push(id);
      const key = { ...BASE_POINT, rpIdHash: keccakOf('rp') };
      const data = deployAccount({ salt: keccakOf(`salt ${(configs += 1)}`), guarded: false, keys: [key] });
      await database.unitOfWork.inTransaction({ tenantId }, (tx) =>
        relays.insert(tx, {
          ...{
            tenantId,
            id,
            chainId: CHAIN_ID,
            account: factory,
            userId: newId(),
            passkeyId: 'p',
            paidBy: sponsor.address,
            keyId: id,
            lane: 0,
            sequence: 0,
          },
          ...{ deadline: new Date(clock.now().getTime() + seconds * 1_000), data, factory, deploy: '0x', prepared: [] },
          ...{ batchWei: reserved, deployWei: 0n },
          createdAt: clock.now(),
        }),
      );
    }
  };
  const states = async (): Promise<string[]> => {
    const rows = await database.unitOfWork.readAsSystem((tx) => relays.ofIds(tx, relayed));
    return relayed.map((id) => rows.get(id)!.status);
  };
  const all = async (count: number, status: string): Promise<void> =>
    expect(await states()).toEqual(Array.from({ length: count }, () => status));
  const nonce = (): Promise<number> => provider.getTransactionCount(sponsor.address, 'latest');
  const accounts = async (): Promise<number> => (await provider.getLogs({ address: factory, fromBlock: 0 })).length;

  beforeAll(async () => {
    [database, anvil] = await Promise.all([cloneTestDatabase([transactionsPersistence]), startTestAnvil()]);
    provider = new JsonRpcProvider(anvil.url, undefined, { staticNetwork: true, cacheTimeout: -1, batchMaxCount: 1, pollingInterval: 20 });
    const dev = new NonceManager(new Wallet(devWallet(0).privateKey, provider));
    const deployed = await new ContractFactory(passkeyAccountFactoryAbi, passkeyAccountFactoryBytecode, dev).deploy();
    await deployed.waitForDeployment();
    factory = await deployed.getAddress();
  });
  afterAll(async () => {
    provider?.destroy();
    await anvil?.stop();
    await database?.drop();
  });
  beforeEach(async () => {
    sponsor = new Wallet(Wallet.createRandom().privateKey, provider);
    await provider.send('anvil_setBalance', [sponsor.address, '0xde0b6b3a7640000']);
    [later, givenUp, relayed] = [0, [], []];
  });

  it('lands each relay once, although it is killed again and again before it sends', async () => {
    await queue(9);
    const before = await accounts();
    for (const dies of [true, true, false, true, false, false]) {
      const alive = started();
      alive.client.dies = dies;
      const end = await alive.tick().then(
        () => 'ended',
        ({ message }: Error) => message,
      );
      expect(end).toBe(dies ? 'killed' : 'ended');
      if (dies) await queue(1);
    }
    await started().tick();
    await all(12, 'mined');
    expect([await nonce(), (await accounts()) - before]).toEqual([12, 12]);
  });

  it('gives each relay one nonce, although two run at once', async () => {
    await queue(8);
    const before = await accounts();
    const both = [started(), started()];
    for (let round = 0; round < 4; round++) await Promise.all(both.map(({ tick }) => tick()));
    await all(8, 'mined');
    expect([await nonce(), (await accounts()) - before]).toEqual([8, 8]);
  });

  it('pays more for what no block takes, and uses up the nonce of what came too late', async () => {
    await provider.send('evm_setAutomine', [false]);
    try {
      await queue(1, 45);
      const alive = started();
      await alive.tick();
      const [first] = await pending();
      later = REPLACE_AFTER_MS + 1_000;
      await alive.tick();
      const [second] = await pending();
      expect(second!.maxFeePerGas! * 10n).toBeGreaterThanOrEqual(first!.maxFeePerGas! * 11n);
      expect([second!.nonce, second!.data]).toEqual([first!.nonce, first!.data]);
      later = 100_000;
      await alive.tick();
      await provider.send('evm_mine', []);
      await alive.tick();
      await all(1, 'expired');
      expect([givenUp, await nonce()]).toEqual([relayed, 1]);
    } finally {
      await provider.send('evm_setAutomine', [true]);
    }
  });

  it('pays no more than was reserved, however dear gas becomes', async () => {
    const baseFee = async (wei: bigint): Promise<void> => {
      await provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
      await provider.send('evm_mine', []);
    };
    const { baseFeePerGas } = (await provider.getBlock('latest'))!;
    const reserved = 10n ** 15n;
    await provider.send('evm_setAutomine', [false]);
    try {
      await queue(1, 300, reserved);
      const alive = started();
      await alive.tick();
      const [first] = await pending();
      const bids = [first!.maxFeePerGas!];
      await baseFee(first!.maxFeePerGas! * 50n);
      for (later = REPLACE_AFTER_MS + 1_000; later < 150_000; later += REPLACE_AFTER_MS + 1_000) {
        await alive.tick();
        bids.push((await pending())[0]!.maxFeePerGas!);
      }
      expect(bids[1]! > bids[0]!).toBe(true);
      expect(bids.slice(1).map((bid) => bid * first!.gasLimit <= reserved)).toEqual([true, true, true, true]);
      expect(bids.at(-1)).toBe(reserved / first!.gasLimit);
      await queue(1, 300, reserved);
      await alive.tick();
      expect(await states()).toEqual(['sent', 'refused']);
      await baseFee(bids.at(-1)! / 2n);
      later += REPLACE_AFTER_MS + 1_000;
      await alive.tick();
      await provider.send('evm_mine', []);
      await alive.tick();
      const [paid] = [...(await database.unitOfWork.readAsSystem((tx) => relays.ofIds(tx, relayed))).values()].filter(
        ({ status }) => status === 'mined',
      );
      expect([paid!.wei > reserved / 10n, paid!.wei <= reserved, givenUp]).toEqual([true, true, relayed.slice(1)]);
    } finally {
      await provider.send('evm_setAutomine', [true]);
      await baseFee(baseFeePerGas!);
    }
  });

  it('charges a relay that ended for what is mined for it later', async () => {
    await provider.send('evm_setAutomine', [false]);
    try {
      await queue(1, 45);
      const alive = started();
      await alive.tick();
      later = 100_000;
      await alive.tick();
      const spent = async (): Promise<bigint> =>
        (await database.unitOfWork.readAsSystem((tx) => relays.ofIds(tx, relayed))).get(relayed[0]!)!.wei;
      expect([await states(), await spent()]).toEqual([['expired'], 0n]);
      await provider.send('evm_mine', []);
      await alive.tick();
      expect([await states(), (await spent()) > 0n]).toEqual([['expired'], true]);
    } finally {
      await provider.send('evm_setAutomine', [true]);
    }
  });

  it('shows in its metrics what it has, what it spent and what waits', async () => {
    const reading = (): Promise<SponsorReading | null> => database.unitOfWork.asSystem(sponsorReading);
    const alive = started();
    await alive.tick();
    const before = await reading();
    expect(before).toMatchObject({ balance: 1, queued: 0, oldestQueuedSeconds: null, sent: 0 });
    await queue(2);
    expect(await reading()).toMatchObject({ queued: 2, oldestQueuedSeconds: expect.any(Number), seenSeconds: expect.any(Number) });
    await provider.send('evm_setAutomine', [false]);
    try {
      await alive.tick();
      expect(await reading()).toMatchObject({ queued: 0, oldestQueuedSeconds: null, sent: 2 });
    } finally {
      await provider.send('evm_setAutomine', [true]);
    }
    await provider.send('evm_mine', []);
    await alive.tick();
    const after = await reading();
    expect(after!.sent).toBe(0);
    expect(after!.balance).toBeCloseTo(Number(await provider.getBalance(sponsor.address)) / 1e18, 12);
    expect(after!.spent - before!.spent).toBeCloseTo(1 - after!.balance, 12);
  });

  /** What it sent last with each nonce; a node need not have taken it. */
  const pending = async (): Promise<readonly Transaction[]> => {
    const rows = await database.unitOfWork.readAsSystem((tx) =>
      tx.sql<{ raw: string }>('select raw from transactions.sponsor_transaction where sender = $1 order by nonce', [sponsor.address]),
    );
    return rows.map(({ raw }) => Transaction.from(raw));
  };
});

const MODULE = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so'].find((path) => existsSync(path));
const hasTool = existsSync('/usr/bin/pkcs11-tool') && existsSync('/usr/bin/softhsm2-util');

(MODULE && hasTool ? describe : describe.skip)('a key in a PKCS#11 token (softhsm2, pkcs11-tool)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'softhsm-'));
  const before = process.env['SOFTHSM2_CONF'];
  const key = { module: MODULE!, token: 'trace', label: 'sponsor', pin: '1234' };

  beforeAll(() => {
    writeFileSync(join(folder, 'softhsm2.conf'), `directories.tokendir = ${folder}\n`);
    process.env['SOFTHSM2_CONF'] = join(folder, 'softhsm2.conf');
    execFileSync('softhsm2-util', ['--init-token', '--free', '--label', 'trace', '--pin', '1234', '--so-pin', '5678']);
    const where = ['--module', MODULE!, '--token-label', 'trace', '--login', '--pin', '1234'];
    execFileSync('pkcs11-tool', [...where, '--keypairgen', '--key-type', 'EC:secp256k1', '--label', 'sponsor', '--usage-sign'], {
      stdio: 'ignore',
    });
  });
  afterAll(() => {
    if (before === undefined) delete process.env['SOFTHSM2_CONF'];
    else process.env['SOFTHSM2_CONF'] = before;
    rmSync(folder, { recursive: true, force: true });
  });

  it('signs as chains take it, and refuses a wrong PIN in a sentence', async () => {
    const signer = new Pkcs11Signer(key);
    const digest = keccakOf('a transaction');
    expect(recoverAddress(digest, await signer.sign(digest))).toBe(await signer.address());
    await expect(new Pkcs11Signer({ ...key, pin: '0000' }).address()).rejects.toThrow('The PKCS#11 token refused');
    await expect(new Pkcs11Signer({ ...key, label: 'other' }).address()).rejects.toThrow(/PKCS#11 token/);
  });
});
