import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnitOfWork } from '#persistence';
import { runCommand } from '../harness/command-line.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

describe('the keys of contents', () => {
  let world: World;
  let trade: RiceTrade;
  let old: string;
  const folder = mkdtempSync(join(tmpdir(), 'trace-keys-'));
  const fresh = randomBytes(32).toString('base64');
  const drafts: string[] = [];

  beforeAll(async () => {
    world = await World.start();
    trade = await RiceTrade.of(world);
    old = world.service.config.secrets.encryptionKey!.toString('base64');
    await trade.harvest();
    await prepare();
  });
  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function prepare(): Promise<void> {
    const { eventId } = await trade.event(trade.farmA, {
      processType: 'RICE_HARVESTING',
      outputTlc: `RH-20261101-K${randomBytes(3).toString('hex').toUpperCase()}`,
      metadata: trade.metadataOf('RICE_HARVESTING'),
    });
    drafts.push(eventId as string);
  }
  const stateOf = async (id: string): Promise<string> =>
    (await trade.api.get<Json>(`/api/v1/events/${id}/content/opened`))['state'] as string;
  const cli = (args: readonly string[], env: Readonly<Record<string, string>> = { ENCRYPTION_KEY: old }) =>
    runCommand(args, { ...world.environment, ...env });
  const check = async (path: string, env?: Readonly<Record<string, string>>): Promise<string> => {
    const { code, stdout, stderr } = await cli(['backup', 'check', '--keys', path], env);
    return `${code} ${stdout}${stderr}`;
  };

  it('make a backup complete, which says so of no other one', async () => {
    const path = join(folder, 'keys.dump');
    expect(await check(path)).toMatch(/^1 .*This backup is not complete\./s);
    expect((await cli(['backup', 'keys', '--to', path])).code).toBe(0);
    expect(await check(path)).toMatch(/^0 The backup has the keys of all \d+ contents and \d+ tenants/);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const cut = join(folder, 'cut.dump');
    writeFileSync(cut, `${lines.slice(0, -1).join('\n')}\n`);
    expect(await check(cut)).toMatch(/^1 .*This backup is not complete\. The dump of keys ends too early/s);
    expect(await check(path, { ENCRYPTION_KEY: fresh })).toMatch(
      /^1 .*This backup is not complete\. ENCRYPTION_KEY does not open the keys/s,
    );
    // A database without keys is none that is complete, whatever its dump has.
    const { stored } = await removeKeys();
    expect(stored).toBeGreaterThan(0);
    const empty = join(folder, 'empty.dump');
    expect((await cli(['backup', 'keys', '--to', empty])).code).toBe(0);
    expect(await check(empty)).toMatch(
      /^1 .*This backup is not complete\. The database has sealed contents of 1 tenants and none of their keys/s,
    );
    expect((await cli(['backup', 'restore-keys', '--from', path])).code).toBe(0);
    expect(await check(path)).toMatch(/^0 /);
    expect(await stateOf(drafts[0]!)).toBe('open');
  });

  const removeKeys = (): Promise<{ stored: number }> =>
    world.service.app.get(UnitOfWork, { strict: false }).asSystem(async (tx) => {
      await tx.sql('delete from keys.tenant_key');
      const rows = await tx.sql('delete from keys.content_key returning cid');
      return { stored: rows.length };
    });

  it('are rotated while events are prepared and read: none fails, and the old key is not needed afterwards', async () => {
    const both = { ENCRYPTION_KEY: fresh, RETIRED_ENCRYPTION_KEYS: old };
    await world.stop();
    await world.startAgain(undefined, both);
    trade = await RiceTrade.of(world);
    const rotated = new AbortController();
    const load = Array.from({ length: 4 }, async (_, i) => {
      let prepared = 0;
      for (; !rotated.signal.aborted || prepared < 5; prepared++) {
        await prepare();
        expect(await stateOf(drafts[(prepared * 4 + i) % drafts.length]!)).toBe('open');
      }
      return prepared;
    });
    const rotation = await cli(['keys', 'rotate'], both).finally(() => rotated.abort());
    const prepared = await Promise.all(load);
    expect([rotation.code, rotation.stdout]).toEqual([0, expect.stringMatching(/^[1-9]\d* of \d+ keys of tenants were encrypted again/)]);
    expect(prepared.every((count) => count >= 5)).toBe(true);
    expect((await cli(['keys', 'rotate'], both)).stdout).toMatch(/^0 of /);
    await world.stop();
    await world.startAgain(undefined, { ENCRYPTION_KEY: fresh });
    trade = await RiceTrade.of(world);
    for (const id of drafts) expect([id, await stateOf(id)]).toEqual([id, 'open']);
    await prepare();
  });
});
