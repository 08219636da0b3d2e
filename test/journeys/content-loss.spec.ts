import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FileContentStore } from '#content-storage';
import { World } from '../harness/world.js';

/** The real command line beside a running service, which loses its contents for real. */
describe('a content store that was lost', () => {
  let world: World;
  let store: string;
  let copy: string;

  beforeAll(async () => {
    world = await World.start();
    await world.play('rice', 3);
    store = join(world.environment.DATA_DIR!, 'content');
    copy = mkdtempSync(join(tmpdir(), 'trace-copy-'));
    cpSync(store, copy, { recursive: true });
  });
  afterAll(async () => {
    rmSync(copy, { recursive: true, force: true });
    await world.close();
  });

  const content = (...args: readonly string[]): Promise<{ code: number; said: string; told: readonly string[] }> =>
    new Promise((done) => {
      const main = new URL('../../apps/cli/src/main.js', import.meta.url).pathname;
      const env = { PATH: process.env.PATH, ...world.environment };
      execFile(process.execPath, ['--no-warnings', main, 'content', ...args], { env }, (error, stdout, stderr) =>
        done({ code: error ? Number(error.code) : 0, said: stdout + stderr, told: stdout.trim().split('\n') }),
      );
    });
  const lose = (): void => {
    for (const name of readdirSync(store)) rmSync(join(store, name), { recursive: true });
  };
  /** Names of the files of single contents. */
  const blocks = (): string[] =>
    readdirSync(store, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    );

  it('is whole before', async () => {
    expect(await content('check')).toMatchObject({ code: 0, told: [expect.stringMatching(/^\d+ whole, 0 restored, 0 missing/)] });
  });

  it('is told content by content, with the lot of each event', async () => {
    lose();
    const { code, told } = await content('check');
    expect([code, told.at(-1)]).toEqual([1, expect.stringMatching(/^0 whole, 0 restored, [1-9]\d* missing or damaged\.$/)]);
    expect(told).toContainEqual(expect.stringMatching(/^missing {3}bafkrei\w{52} {2}rice {2}event \S{36} of lot RH-20260915-A1$/));
    expect(told).toContainEqual(expect.stringMatching(/^missing {3}bafkrei\w{52} {2}rice {2}process map /));
  });

  it('comes back from a copy of its folder, all but what the copy has damaged too', async () => {
    expect(await content('restore', '--from', copy)).toMatchObject({ code: 0 });
    expect(await content('check')).toMatchObject({ code: 0, told: [expect.stringContaining(' 0 missing or damaged')] });
    writeFileSync(blocks()[0]!, 'other bytes');
    const { code, told } = await content('check');
    expect([code, told.length, told[0]!.slice(0, 7)]).toEqual([1, 2, 'damaged']);
  });

  it('comes back from a gateway, which is believed nothing', async () => {
    const peer = new FileContentStore(copy);
    let lies = true;
    const server: Server = createServer((request, response) => {
      const cid = /^\/ipfs\/(\w+)\?format=raw$/.exec(request.url!)?.[1] ?? '';
      void peer.get(cid).then((bytes) => response.writeHead(bytes ? 200 : 404).end(lies ? '{"other":"bytes"}' : bytes));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    lose();
    const lied = await content('restore', '--from', from);
    expect([lied.code, blocks().length]).toEqual([1, 0]);
    lies = false;
    expect(await content('restore', '--from', from)).toMatchObject({ code: 0 });
    expect(await content('check')).toMatchObject({ code: 0 });
    await new Promise((closed) => server.close(closed));
    expect((await content('restore', '--from', from)).code).toBe(0);
  });

  it('is not restored from what is no place', async () => {
    for (const place of ['/nowhere', 'ftp://ipfs.example']) {
      const { code, said } = await content('restore', '--from', place);
      expect([code, said]).toEqual([1, expect.stringContaining('is neither a folder nor an address')]);
    }
  });
});
