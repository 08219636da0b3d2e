import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { configFrom } from '#config';
import { FileContentStore, addressOf } from '#content-storage';
import { type PostgresEndpoint, UnitOfWork, withClient } from '#persistence';
import { ConfiguredKeys } from '#sealed-contents';
import { cloneTestDatabase, createEmptyTestDatabase, dropTestDatabase, type TestDatabase, testServer } from '#persistence/testing';
import { examine } from '../../apps/cli/src/doctor/doctor.js';
import { contexts } from '../../apps/runtime/src/index.js';
import { urlOf } from '../harness/url-of.js';

const CONTRACT = '0x5B5B5b5B5b5B5b5b5B5b5B5b5b5B5b5b5b5B5B5B';

describe('doctor, with databases', () => {
  let db: TestDatabase;
  let empty: PostgresEndpoint;
  let node: Server;
  let rpc: string;
  let balance = '0x0';
  beforeAll(async () => {
    [db, empty] = await Promise.all([cloneTestDatabase(contexts), createEmptyTestDatabase()]);
    node = createServer(
      (request, response) =>
        void text(request).then((asked) => {
          const code = asked.includes(CONTRACT) ? '0x6001' : '0x';
          const result = asked.includes('eth_getCode') ? code : asked.includes('eth_getBalance') ? balance : '0x1';
          response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
        }),
    );
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    rpc = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    node.close();
    await db.drop();
    await dropTestDatabase(empty);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const examined = async (env: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      (await examine(configFrom({ PORT: '0', ...env }))).map(({ engine, ...finding }) => [engine.replace(/ \(.*/, ''), finding]),
    );
  const onChain = (env: Readonly<Record<string, string>> = {}) =>
    examined({ DATABASE_URL: urlOf(db.endpoint), CHAIN_RPC_URLS: rpc, CHAIN_ID: '1', ...env });

  it('finds nothing wrong with a login that has its roles, and with a clock that is right', async () => {
    const findings = await examined({ DATABASE_URL: urlOf(db.endpoint) });
    expect(findings.database).toMatchObject({ well: true, found: expect.stringContaining(' 0 migrations to apply') });
    expect(findings.clock).toMatchObject({ well: true });
  });

  it('says that the keys of tenants were encrypted by another key than the configured one', async () => {
    const [key, other] = [1, 2].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer];
    const wrapped = await new ConfiguredKeys([key]).wrap(Buffer.alloc(32), 'row');
    await db.unitOfWork.asSystem((tx) =>
      tx.sql('insert into keys.tenant_key (tenant_id, wrapped) values (gen_random_uuid(), $1)', [wrapped]),
    );
    const keysWith = async (more: Readonly<Record<string, string>>) => (await examined({ DATABASE_URL: urlOf(db.endpoint), ...more })).keys;
    const [right, wrong] = [key, other].map((secret) => secret.toString('base64')) as [string, string];
    expect(await keysWith({ ENCRYPTION_KEY: right })).toBeUndefined();
    expect(await keysWith({ ENCRYPTION_KEY: wrong, RETIRED_ENCRYPTION_KEYS: right })).toBeUndefined();
    expect(await keysWith({ ENCRYPTION_KEY: wrong })).toMatchObject({
      well: false,
      found: expect.stringContaining('the keys of 1 of 1 tenants'),
      remedy: expect.stringContaining('RETIRED_ENCRYPTION_KEYS'),
    });
  });

  it('says that the database answers and is read-only', async () => {
    const readOnly = (value: string): Promise<unknown> =>
      withClient({ ...testServer().admin, database: 'postgres' }, (client) =>
        client.query(`alter database ${db.endpoint.database} ${value}`),
      );
    await readOnly('set default_transaction_read_only = on');
    try {
      const { database, queue } = await examined({ DATABASE_URL: urlOf(db.endpoint) });
      expect(database).toMatchObject({ well: false, found: expect.stringContaining('read-only') });
      expect(database!.remedy).toContain('primary');
      expect(queue).toMatchObject({ well: false });
    } finally {
      await readOnly('reset default_transaction_read_only');
    }
  });

  it('says that the content folder has nothing of what the database has recorded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trace-doctor-'));
    const contents = async () => (await examined({ DATABASE_URL: urlOf(db.endpoint), DATA_DIR: folder })).content;
    expect(await contents()).toMatchObject({ well: true });
    const store = new FileContentStore(join(folder, 'content'));
    const { cid } = await store.put(Buffer.from('{"a":1}'));
    const record = (ipfsCid: string): Promise<unknown> =>
      db.unitOfWork.asSystem((tx) =>
        tx.sql(
          `insert into traceability.event (tenant_id, id, chain_event_id, status, process_id, containment_mode, record_time, created_at, updated_at,
             block_number, ipfs_cid)
           values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid()::text, 'recorded', '0x', 0, now(), now(), now(), 1, $1)`,
          [ipfsCid],
        ),
      );
    await record(cid);
    expect(await contents()).toMatchObject({ well: true });
    await record(addressOf(Buffer.from('{"a":2}')).cid);
    expect(await contents()).toMatchObject({
      well: false,
      found: expect.stringMatching(/^1 of 2 contents /),
      remedy: expect.stringContaining('Restore'),
    });
    rmSync(folder, { recursive: true });
  });

  it('says how much room there is for the data folder, and where it cannot be', async () => {
    expect((await examined({})).disk).toMatchObject({ well: true, found: expect.stringMatching(/ [KMGT]iB free for /) });
    expect((await examined({ DATA_DIR: '/dev/null/data' })).disk).toMatchObject({
      well: false,
      remedy: expect.stringContaining('DATA_DIR'),
    });
  });

  it('names the roles that a login lacks and may not create, and what an administrator has to run', async () => {
    await withClient(testServer().admin, (client) => client.query(`create role doctor_plain login password 'geheim'`));
    try {
      const plain = urlOf({ ...db.endpoint, user: 'doctor_plain', password: 'geheim' });
      const { database } = await examined({ DATABASE_URL: plain });
      expect(database).toMatchObject({ well: false, found: expect.stringContaining('lacks roles') });
      expect(database!.remedy).toMatch(/grant trace_tenant to doctor_plain.*grant trace_system to doctor_plain/);
      // Also where another login migrates: it creates the roles, and does not make this login a member.
      const separate = await examined({ DATABASE_URL: plain, DATABASE_MIGRATION_URL: urlOf(db.endpoint) });
      expect(separate.database).toMatchObject({ well: false });
      expect(separate['database, migrating']).toMatchObject({ well: true });
    } finally {
      await withClient(testServer().admin, (client) => client.query('drop role doctor_plain'));
    }
  });

  it('says that no registry contract is known, until one is recorded or configured', async () => {
    expect((await onChain()).registry).toMatchObject({ well: false, remedy: expect.stringMatching(/CHAIN_REGISTRY.*cli contracts/) });
    // An empty database has recorded none either.
    expect((await onChain({ DATABASE_URL: urlOf(empty) })).registry).toMatchObject({ well: false });
    expect((await onChain({ CHAIN_REGISTRY: CONTRACT })).registry).toBeUndefined();
    await record(db.unitOfWork, CONTRACT);
    const { registry, chain } = await onChain();
    expect(registry).toBeUndefined();
    expect(chain).toMatchObject({ well: true, found: 'chain id 1' });
  });

  it('says what the sponsor has, and that it has nothing, and why it cannot sign', async () => {
    expect((await onChain()).sponsor).toBeUndefined();
    const known = { SPONSOR_KEY: `0x${'01'.repeat(32)}` };
    expect((await onChain(known)).sponsor).toMatchObject({
      well: false,
      found: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1 has no coins',
      remedy: expect.stringContaining('Send it some'),
    });
    balance = '0x14d1120d7b160000';
    expect((await onChain(known)).sponsor).toMatchObject({ well: true, found: expect.stringMatching(/ has 1\.5 ether$/) });
    const token = {
      SPONSOR_PKCS11_MODULE: '/nowhere/pkcs11.so',
      SPONSOR_PKCS11_TOKEN: 'a',
      SPONSOR_PKCS11_LABEL: 'b',
      SPONSOR_PKCS11_PIN: '1234',
    };
    expect((await onChain(token)).sponsor).toMatchObject({ well: false, remedy: expect.stringContaining('Check its key') });
  });

  it('says that the recorded registry is not on this chain', async () => {
    const gone = `0x${'11'.repeat(20)}`;
    await record(db.unitOfWork, gone);
    const { chain } = await onChain();
    expect(chain).toMatchObject({
      well: false,
      found: `no contract at ${gone}`,
      remedy: expect.stringContaining('database has recorded it'),
    });
  });

  it.each([
    ['ahead of', 60_000],
    ['behind', -60_000],
  ])('says that the clock of the machine is %s that of the database, and by how much', async (direction, ms) => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
    const { clock } = await examined({ DATABASE_URL: urlOf(db.endpoint) });
    expect(clock).toMatchObject({
      well: false,
      found: expect.stringMatching(new RegExp(`^this machine is (59|60|61)(\\.\\d)? s ${direction} the`)),
    });
  });
});

const record = (unitOfWork: UnitOfWork, registry: string): Promise<unknown> =>
  unitOfWork.asSystem((tx) =>
    tx.sql(
      'insert into chain.deployment (chain_id, registry, from_block) values (1, $1, 0) on conflict (chain_id) do update set registry = excluded.registry',
      [registry],
    ),
  );
