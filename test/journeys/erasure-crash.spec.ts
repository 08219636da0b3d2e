import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { TraceabilityClient } from '#client';
import { testServer } from '#persistence/testing';
import { Member } from '../chaos/cluster.js';
import { asSuperuser, everything, rowsOf } from '../harness/dump.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { NO_LIMITS } from '../harness/no-limits.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

const PHONE = '+84 90 111 22 33';

describe('erasures by several processes', () => {
  let world: World;
  let trade: RiceTrade;
  let other: Member;
  let there: TraceabilityClient;
  let port: number;
  let codes = 0;
  const folder = mkdtempSync(join(tmpdir(), 'trace-erasure-'));

  beforeAll(async () => {
    // Processes share their content store.
    world = await World.start({ CONTENT_STORE: 'database' });
    trade = await RiceTrade.of(world);
    port = await freePort();
    const env = {
      ...{ ...NO_LIMITS, ...world.environment, CHAIN_RPC_URLS: world.node.url, CHAIN_CONFIRMATIONS: '1' },
      ...{ DATA_DIR: folder, ERASURE_DIR: join(world.environment.DATA_DIR!, 'erasure') },
      ENCRYPTION_KEY: world.service.config.secrets.encryptionKey!.toString('base64'),
      ...{
        ROLE: 'api',
        PORT: String(port),
        CONTENT_STORE: 'database',
        DEMO: 'false',
        LOG_LEVEL: 'warn',
        WEBHOOK_TIMEOUT_MS: '20000',
        DATABASE_TIMEOUT_MS: '60000',
      },
    };
    other = new Member('another process', 'api', env, 'Ctrl-C stops it');
    other.launch();
    await other.ready();
    there = await login();
  });
  afterAll(async () => {
    await other?.end();
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const login = (): Promise<TraceabilityClient> => {
    const { email, password } = world.tenant('rice').admin;
    return TraceabilityClient.login(`http://127.0.0.1:${port}`, email, password, 'rice');
  };
  const land = (name: string): Promise<Json> =>
    trade.land(
      trade.farmA,
      trade.event(trade.farmA, {
        processType: 'RICE_HARVESTING',
        outputTlc: `RH-20261101-C${++codes}`,
        metadata: { ...trade.metadataOf('RICE_HARVESTING'), harvester: { name, phone: PHONE }, fieldName: 'Ruộng số bảy' },
      }),
    );
  const erase = (api: TraceabilityClient, body: object): Promise<Json> => api.post<Json>('/api/v1/privacy/erasures', body);
  const tablesWith = async (name: string): Promise<string[]> => {
    const rows = Object.entries(await everything(world.database.endpoint));
    return rows.flatMap(([table, all]) => (JSON.stringify(all).includes(name) ? [table] : []));
  };
  const isWaiting = async (what: string, values: unknown[] = []): Promise<boolean> =>
    asSuperuser(world.database.endpoint, async (client) => (await client.query(what, values)).rows.length > 0);
  /** The record, the evidence and whether the links of `verify` hold. */
  const stateOf = async (id: string): Promise<object> => {
    const [record, opened, verified] = await Promise.all(
      ['', '/content/opened', '/verify'].map((path) => trade.api.get<Json>(`/api/v1/events/${id}${path}`)),
    );
    return {
      ...{ state: record!['contentState'], harvester: record!['metadata'].harvester, opened: opened!['state'] },
      broken: (verified!['links'] as Json[]).flatMap(({ link, status }) => (status === 'ok' ? [] : [`${link}: ${status}`])),
    };
  };
  const before = (name: string): object => ({ state: 'open', harvester: { name, phone: PHONE }, opened: 'open', broken: [] });
  const AFTER = { state: 'erased', harvester: { name: null, phone: null }, opened: 'erased', broken: ['record_content: erased'] };

  it('of the same and of overlapping values at once take each value once', async () => {
    const name = 'Hồ Thị Cùng Lúc';
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push((await land(name))['eventId'] as string);
    const receipts = await Promise.all([
      ...ids.flatMap((eventId) => [
        erase(trade.api, { eventId, pointers: ['/metadata/harvester', '/metadata/fieldName'] }),
        erase(there, { eventId, pointers: ['/metadata/harvester/name'] }),
        erase(there, { eventId, pointers: ['/metadata/fieldName', '/metadata/harvester/phone'] }),
      ]),
      erase(trade.api, { subject: name }),
      erase(there, { subject: name }),
    ]);
    expect(receipts.reduce((sum, { values }) => sum + (values as number), 0)).toBe(3 * ids.length);
    for (const id of ids) expect(await stateOf(id)).toEqual(AFTER);
    expect(await tablesWith(name)).toEqual([]);
  });

  const LOCK = `select pg_advisory_xact_lock_shared(hashtextextended('erasure ' || id, 0)) from identity.tenant where slug = 'rice'`;
  const waitsFor = (table: string): string => `select from pg_locks where relation = '${table}'::regclass and not granted`;
  it.each([
    [
      'waits for another',
      'Hồ Thị Một',
      LOCK,
      `select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted`,
    ],
    ['has destroyed the keys', 'Hồ Thị Hai', 'lock table traceability.event in exclusive mode', waitsFor('traceability.event')],
    ['has blanked the record', 'Hồ Thị Ba', 'lock table interchange.epcis_due in exclusive mode', waitsFor('interchange.epcis_due')],
    ['has done all but the end', 'Hồ Thị Bốn', 'lock table identity.audit_entry in exclusive mode', waitsFor('identity.audit_entry')],
  ])('of a process that is killed when it %s has done nothing, and is done when it is repeated', async (_, name, lock, waiting) => {
    const { eventId } = await land(name);
    const blocker = new Client({ ...testServer().admin, database: world.database.endpoint.database });
    await blocker.connect();
    try {
      await blocker.query(`begin; ${lock}`);
      const killed = erase(there, { subject: name }).catch(() => 'no answer');
      await eventually('the erasure to wait', () => isWaiting(waiting));
      other.signal('SIGKILL');
      expect(await killed).toBe('no answer');
      await blocker.query('rollback');
      await eventually('the end of its transaction', async () => !(await isWaiting(waiting)));
    } finally {
      await blocker.end();
    }
    await other.ready();
    there = await login();
    expect(await stateOf(eventId as string)).toEqual(before(name));
    expect(await erase(there, { subject: name })).toMatchObject({ events: 1, values: 2, left: [] });
    expect(await erase(there, { eventId, pointers: ['/metadata/fieldName'] })).toMatchObject({ values: 1 });
    expect(await stateOf(eventId as string)).toEqual(AFTER);
    expect(await tablesWith(name)).toEqual([]);
  });

  it('of a process that is killed after the commit is whole, and the erasure log has it after the next start', async () => {
    const name = 'Hồ Thị Năm';
    const { eventId } = await land(name);
    const log = join(world.environment.DATA_DIR!, 'erasure', 'erasures.jsonl');
    const kept = readFileSync(log, 'utf8');
    const count = async (): Promise<number> =>
      (await asSuperuser(world.database.endpoint, (client) => rowsOf(client, 'keys.erasure'))).length;
    const earlier = await count();
    const killed = erase(there, { eventId, pointers: ['/metadata/harvester', '/metadata/fieldName'] }).catch(() => 'no answer');
    await eventually('the commit', async () => (await count()) > earlier, { everyMs: 1 });
    other.signal('SIGKILL');
    await killed;
    expect(await stateOf(eventId as string)).toEqual(AFTER);
    // As if it had been killed before the line was written.
    rmSync(log);
    await other.ready();
    await eventually('the log', () => existsSync(log));
    const lines = (text: string): string[] =>
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as Json)['id'] as string);
    expect(lines(readFileSync(log, 'utf8'))).toEqual(expect.arrayContaining([...lines(kept)]));
    expect(readFileSync(log, 'utf8')).toContain(eventId as string);
  });
});
