import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** When everything was made, in seconds since the epoch: what is touched later is newer by days. */
const LONG_AGO = 1_700_000_000;

describe('what counts as a newer source, for which programs are built anew', () => {
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'trace-build-'));
    for (const folder of ['tools', 'contracts', 'libs']) mkdirSync(join(root, folder));
    cpSync('tools/build.mjs', join(root, 'tools/build.mjs'));
    for (const file of ['contracts/Lot.sol', 'libs/kept.ts', 'libs/dropped.ts']) writeFileSync(join(root, file), '');
    makeOld();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const makeOld = (): void => {
    for (const path of ['contracts/Lot.sol', 'libs/kept.ts', 'libs/dropped.ts', 'contracts', 'libs'])
      utimesSync(join(root, path), LONG_AGO, LONG_AGO);
  };
  const newest = (): number => {
    const code = `console.log((await import(${JSON.stringify(join(root, 'tools/build.mjs'))})).newestSource())`;
    return Number(spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stdout) / 1_000;
  };

  it('is no output of a compiler beside the sources: a test that calls the CLI would build beneath the others', () => {
    expect(newest()).toBe(LONG_AGO);
    for (const folder of ['out', 'cache']) mkdirSync(join(root, 'contracts', folder));
    writeFileSync(join(root, 'contracts/out/Lot.json'), '');
    expect(newest()).toBe(LONG_AGO);
  });

  it('is a file that was changed, and one that was deleted', () => {
    writeFileSync(join(root, 'contracts/Lot.sol'), 'changed');
    expect(newest()).toBeGreaterThan(LONG_AGO);
    makeOld();
    rmSync(join(root, 'libs/dropped.ts'));
    expect(newest()).toBeGreaterThan(LONG_AGO);
  });
});
