import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate, type PostgresEndpoint, withClient } from '#persistence';
import { createEmptyTestDatabase, dropTestDatabase, testServer } from '#persistence/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { fillDisk, mountSmallDisk, unmount } from '../harness/small-disk.js';
import { eventually, PATIENCE_MS } from '../harness/eventually.js';
import { urlOf } from '../harness/url-of.js';
import type { Start } from './start-process.js';

const main = (app: string): string => new URL(`../../apps/${app}/src/main.js`, import.meta.url).pathname;
const MAIN = main('api');
const END = '\u0004';

interface Started {
  readonly status: number | null;
  readonly said: string;
}

/** Every way in which a start can fail for a reason that an operator can remove: one sentence, exit code 1, no stack. */
describe('a service that cannot start', () => {
  let folder: string;
  let empty: PostgresEndpoint;
  let migrated: PostgresEndpoint;
  let standby: PostgresEndpoint;
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const ports: Record<string, number> = {};
  let shared: ChildProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trace-start-'));
    writeFileSync(join(folder, 'file'), '');
    [empty, migrated, standby] = await Promise.all([createEmptyTestDatabase(), createEmptyTestDatabase(), createEmptyTestDatabase()]);
    await migrate(migrated, contexts);
    await withClient(testServer().admin, async (client) => {
      await client.query('create role start_plain login');
      await client.query(`alter database ${standby.database} set default_transaction_read_only = on`);
    });
    shared = spawn(process.execPath, ['--no-warnings', new URL('start-process.js', import.meta.url).pathname], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    ports['silent'] = await listen(createServer());
    ports['refusing'] = await listen(createServer((socket) => socket.once('data', () => socket.end(wrongPassword()))));
    ports['http'] = await listen(createHttp((_, response) => response.end('hello')));
    ports['cut'] = await listen(createServer((socket) => socket.once('data', () => socket.destroy())));
  });
  afterAll(async () => {
    shared.kill('SIGKILL');
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
    await Promise.all([empty, migrated, standby].map((one) => dropTestDatabase(one)));
    await withClient(testServer().admin, (client) => client.query('drop role start_plain'));
    rmSync(folder, { recursive: true, force: true });
  });

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  const environment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
    PATH: process.env['PATH']!,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    LOG_LEVEL: 'error',
    CHAIN_RPC_URLS: 'http://127.0.0.1:1',
    ...env,
  });
  const started = async (env: Readonly<Record<string, string>>, program = MAIN, ...args: readonly string[]): Promise<Started> => {
    const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { status, said: `${stdout}${stderr}` };
  };
  /** The same in a process that has loaded the service before: to load it takes longer than all that a failing start does. */
  const startedAgain = async (env: Readonly<Record<string, string>>): Promise<Started> => {
    const streams = [shared.stdout!, shared.stderr!];
    const said = ['', ''];
    const keep = [0, 1].map((i) => (chunk: Buffer) => void (said[i] += chunk.toString()));
    streams.forEach((stream, i) => stream.on('data', keep[i]!));
    const start: Start = { main: MAIN, env: environment(env), end: END };
    shared.send(start);
    await eventually(
      () => `the end of a start that said: ${said.join('')}`,
      () => {
        if (shared.exitCode !== null) throw new Error(`the process of the starts ended: ${said.join('')}`);
        return said.every((written) => written.endsWith('\n') && written.includes(END));
      },
      { withinMs: 2 * PATIENCE_MS },
    );
    streams.forEach((stream, i) => stream.off('data', keep[i]!));
    const [[stdout], [stderr, status]] = said.map((written) => written.split(END)) as [string[], string[]];
    return { status: JSON.parse(status!) as number | null, said: `${stdout}${stderr}` };
  };
  const at = (name: string, login = 'trace:geheim'): string => `postgres://${login}@127.0.0.1:${ports[name]}/trace`;

  const FAULTS: readonly (readonly [string, () => Record<string, string>, RegExp])[] = [
    [
      'a database that accepts and says nothing',
      () => ({ DATABASE_URL: at('silent') }),
      /accepts connections, but does not answer\. .*DATABASE_URL/,
    ],
    ['a wrong password', () => ({ DATABASE_URL: at('refusing') }), /password authentication failed for user "trace"\. .*DATABASE_URL/],
    ['a port of something else', () => ({ DATABASE_URL: at('http') }), /cannot be used: .*DATABASE_URL/],
    ['a connection that is cut', () => ({ DATABASE_URL: at('cut') }), /it may be no PostgreSQL\. .*DATABASE_URL/],
    ['a port where nothing listens', () => ({ DATABASE_URL: 'postgres://trace:geheim@127.0.0.1:1/trace' }), /ECONNREFUSED.*DATABASE_URL/],
    [
      'a host that does not exist',
      () => ({ DATABASE_URL: 'postgres://trace:geheim@nowhere.invalid/trace' }),
      /nowhere\.invalid.*DATABASE_URL/,
    ],
    [
      'a database that does not exist',
      () => ({ DATABASE_URL: urlOf({ ...empty, database: 'nowhere' }) }),
      /"nowhere" does not exist\. .*DATABASE_URL/,
    ],
    [
      'a login that does not exist',
      () => ({ DATABASE_URL: urlOf({ ...empty, user: 'nobody_here' }) }),
      /"nobody_here" does not exist\. .*DATABASE_URL/,
    ],
    ['a login without the roles', () => ({ DATABASE_URL: urlOf({ ...empty, user: 'start_plain' }) }), /must run once:\n {2}grant trace_/],
    [
      'a wrong login to serve, with a right one to migrate',
      () => ({ DATABASE_URL: urlOf({ ...migrated, user: 'nobody_here' }), DATABASE_MIGRATION_URL: urlOf(migrated) }),
      /"nobody_here" does not exist\. .*DATABASE_URL/,
    ],
    ['a database that is read-only', () => ({ DATABASE_URL: urlOf(standby) }), /it is read-only; use the primary server.*DATABASE_URL/],
    ['a port in use', () => ({ PORT: String(ports['http']), DATABASE_URL: urlOf(empty) }), /Port \d+ is used by another program\. .*PORT/],
    [
      'a port for metrics in use',
      () => ({ METRICS_PORT: String(ports['http']), DATABASE_URL: urlOf(empty) }),
      /Port \d+ is used by another program\. .*METRICS_PORT/,
    ],
    ['a data folder that is a file', () => ({ DATA_DIR: join(folder, 'file') }), /is a file.*DATA_DIR/],
    [
      'a setting that is wrong, and one that is misspelt',
      () => ({ PORT: 'x', CHAIN_PORTS: '1' }),
      /CHAIN_PORTS is no setting.*CHAIN_PORT\?[\s\S]*PORT is/,
    ],
  ];

  it.each(FAULTS)('because of %s says so in a sentence', async (_, env, sentence) => {
    const { status, said } = await startedAgain(env());
    expect(said).toMatch(sentence);
    expect({ status, stack: /\n\s+at /.test(said) || said.includes('"stack"'), secret: said.includes('geheim') }).toEqual({
      status: 1,
      stack: false,
      secret: false,
    });
  });

  it.each([
    ['a service in a process of its own', 'api', []],
    ['a worker', 'worker', []],
    ['a command', 'cli', ['chain', 'status']],
  ])('%s says it the same way', async (_, app, args) => {
    const { status, said } = await started(
      { DATABASE_URL: at('cut'), CONTENT_STORE: 'database', ROLE: app === 'worker' ? 'worker' : 'all' },
      main(app),
      ...args,
    );
    expect(said).toMatch(/it may be no PostgreSQL\. .*DATABASE_URL/);
    expect({ status, stack: /\n\s+at /.test(said) }).toEqual({ status: 1, stack: false });
  });

  const disk = mkdtempSync(join(tmpdir(), 'trace-disk-'));
  const small = mountSmallDisk(disk, '8m');
  // Where nobody may mount, the unit tests of both data folders show the sentences.
  (small ? it : it.skip)('says that the disk is full, at the first write and while the database is created', async () => {
    try {
      const filling = await started({ DATA_DIR: join(disk, 'data') });
      expect({ status: filling.status, stack: /\n\s+at /.test(filling.said) }).toEqual({ status: 1, stack: false });
      expect(filling.said).toMatch(/no space left/i);
      fillDisk(join(disk, 'full'));
      const full = await started({ DATA_DIR: join(disk, 'data') });
      expect(full.said).toMatch(/no space left.*DATA_DIR/i);
      expect({ status: full.status, stack: /\n\s+at /.test(full.said) }).toEqual({ status: 1, stack: false });
    } finally {
      unmount(disk);
      rmSync(disk, { recursive: true, force: true });
    }
  });
});

/** The answer of a PostgreSQL to a login whose password is wrong. */
function wrongPassword(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C28P01', 'Mpassword authentication failed for user "trace"'].map((field) => `${field}\0`).join('');
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + Buffer.byteLength(fields) + 1);
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(`${fields}\0`)]);
}
