import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../harness/free-port.js';
import { play, stepsOf } from '../harness/shell-page.js';
import { World } from '../harness/world.js';

/** What a newcomer types, taken from the pages themselves: a page whose commands no longer work fails here. */
describe('a newcomer who types what the page says', () => {
  let world: World;
  let folder: string;
  let port: number; // one for both pages: a newcomer goes from the README to the tutorial, and what the first leaves must not be in the way

  beforeAll(async () => {
    world = await World.start();
    port = await freePort();
    // The folder of the repository, but for what the commands write.
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
      stepsOf(page),
      { 'http://127.0.0.1:3000': world.baseUrl, '127.0.0.1:9000': `127.0.0.1:${port}`, 'PORT=9000': `PORT=${port}` },
      folder,
    );

  it('records a lot in five minutes, as the README says', async () => {
    const [, tour] = /^## Five minutes with curl\n([\s\S]*?)^## /m.exec(readFileSync('README.md', 'utf8'))!;
    const outcomes = await typed(tour!);
    expect(outcomes.length).toBeGreaterThan(4);
    expect(outcomes.filter(({ missing }) => missing.length > 0)).toEqual([]);
  });

  it('recalls a lot and is told of it, as the tutorial says', async () => {
    const outcomes = await typed(readFileSync('docs/tutorial/recall-a-lot.md', 'utf8'));
    expect(outcomes.length).toBeGreaterThan(10);
    expect(outcomes.filter(({ missing }) => missing.length > 0)).toEqual([]);
  });

  it('is told by this test of a command that fails, and of an answer that does not come', async () => {
    const page = '```sh\necho one two\n```\n\n```text\none …\nthree\n```\n';
    expect(await play(stepsOf(page), {}, folder)).toMatchObject([{ said: 'one two\n', missing: ['three'] }]);
    await expect(play(stepsOf('```sh\ntrue\n```\n```sh\necho so far; false\n```\n'), {}, folder)).rejects.toThrow(/step 2 failed \(1\)/);
  });
});
