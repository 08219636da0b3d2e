import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FileContentStore } from '#content-storage';
import { runCommand } from '../harness/command-line.js';
import { World } from '../harness/world.js';

/** Runs the command line next to a running service whose content store is deleted. */
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

  const content = async (...args: readonly string[]): Promise<{ code: number; said: string; lines: readonly string[] }> => {
    const { code, stdout, stderr } = await runCommand(['content', ...args], world.environment);
    return { code, said: stdout + stderr, lines: stdout.trim().split('\n') };
  };
  const lose = (): void => {
    for (const name of readdirSync(store)) rmSync(join(store, name), { recursive: true });
  };
  /** Names of the files of single contents. */
  const blocks = (): string[] =>
    readdirSync(store, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    );

  it('is complete before the loss', async () => {
    expect(await content('check')).toMatchObject({ code: 0, lines: [expect.stringMatching(/^\d+ whole, 0 restored, 0 missing/)] });
  });

  it('is reported content by content, with the lot of each event', async () => {
    lose();
    const { code, lines } = await content('check');
    expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/^0 whole, 0 restored, [1-9]\d* missing or damaged\.$/)]);
    expect(lines).toContainEqual(expect.stringMatching(/^missing {3}bafkrei\w{52} {2}rice {2}event \S{36} of lot RH-20260915-A1$/));
    expect(lines).toContainEqual(expect.stringMatching(/^missing {3}bafkrei\w{52} {2}rice {2}process map /));
  });

  it('is restored from a copy of its folder; a block that the copy has damaged too stays missing', async () => {
    expect(await content('restore', '--from', copy)).toMatchObject({ code: 0 });
    expect(await content('check')).toMatchObject({ code: 0, lines: [expect.stringContaining(' 0 missing or damaged')] });
    writeFileSync(blocks()[0]!, 'other bytes');
    const { code, lines } = await content('check');
    expect([code, lines.length, lines[0]!.slice(0, 7)]).toEqual([1, 2, 'damaged']);
  });

  it('is restored from a gateway, whose answers are checked', async () => {
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

  it('is not restored from an invalid source', async () => {
    for (const place of ['/nowhere', 'ftp://ipfs.example']) {
      const { code, said } = await content('restore', '--from', place);
      expect([code, said]).toEqual([1, expect.stringContaining('is neither a folder nor an address')]);
    }
  });
});
