import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../harness/free-port.js';
import { play, commandsOf } from '../harness/shell-page.js';
import { World } from '../harness/world.js';

/** Runs the commands of the pages: a page whose commands no longer work fails here. */
describe('a new user who types the commands of a page', () => {
  let world: World;
  let folder: string;
  let port: number; // the same for both pages: a new user goes from the README to the tutorial

  beforeAll(async () => {
    world = await World.start();
    port = await freePort();
    // The folder of the repository, without the files that the commands write.
    folder = mkdtempSync(join(tmpdir(), 'trace-newcomer-'));
    for (const part of ['dist', 'node_modules', 'docs']) symlinkSync(resolve(part), join(folder, part));
    symlinkSync(world.environment['DATA_DIR']!, join(folder, '.data'));
  });
  afterAll(async () => {
    await world?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const typed = (page: string) =>
    play(
      commandsOf(page),
      { 'http://127.0.0.1:3000': world.baseUrl, '127.0.0.1:9000': `127.0.0.1:${port}`, 'PORT=9000': `PORT=${port}` },
      folder,
    );

  it('records a lot in five minutes, as the README says', async () => {
    const [, tour] = /^## Five minutes with curl\n([\s\S]*?)^## /m.exec(readFileSync('README.md', 'utf8'))!;
    const outcomes = await typed(tour!);
    expect(outcomes.length).toBeGreaterThan(4);
    expect(outcomes.filter(({ missing }) => missing.length > 0)).toEqual([]);
  });

  it('recalls a lot and receives the webhook, as the tutorial says', async () => {
    const outcomes = await typed(readFileSync('docs/tutorial/recall-a-lot.md', 'utf8'));
    expect(outcomes.length).toBeGreaterThan(10);
    expect(outcomes.filter(({ missing }) => missing.length > 0)).toEqual([]);
  });

  it('sees a failed test when a command fails or its output differs', async () => {
    const page = '```sh\necho one two\n```\n\n```text\none …\nthree\n```\n';
    expect(await play(commandsOf(page), {}, folder)).toMatchObject([{ said: 'one two\n', missing: ['three'] }]);
    await expect(play(commandsOf('```sh\ntrue\n```\n```sh\necho so far; false\n```\n'), {}, folder)).rejects.toThrow(
      /command 2 failed \(1\)/,
    );
  });
});
