import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** When everything was made, in seconds since the epoch: what is touched later is newer by days. */
const LONG_AGO = 1_700_000_000;

describe('a newer source, which causes a new build', () => {
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

  it('is not the output of a compiler next to the sources: a test that calls the CLI would start a build under the other tests', () => {
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

describe('a build', () => {
  let root: string;
  const source = (text: string): void => writeFileSync(join(root, 'libs/kept.ts'), text);
  const build = (...flags: string[]): Promise<number> =>
    once(spawn(process.execPath, [join(root, 'tools/build.mjs'), ...flags], { stdio: 'ignore' }), 'exit').then(([code]) => code as number);
  const built = (): string => readFileSync(join(root, 'dist/libs/kept.js'), 'utf8');

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'trace-build-'));
    for (const folder of ['tools', 'libs']) mkdirSync(join(root, folder));
    cpSync('tools/build.mjs', join(root, 'tools/build.mjs'));
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    // The smallest library: to read those of browsers takes most of a small build.
    const compilerOptions = { rootDir: '.', outDir: 'dist', types: [], lib: ['es5'], noEmitOnError: true };
    writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['libs'] }));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('leaves one whole result and nothing else when several run at once', async () => {
    source('export const kept = 1;');
    expect(await Promise.all([build(), build(), build()])).toEqual([0, 0, 0]);
    expect(built()).toContain('kept = 1');
    expect(readdirSync(root).toSorted()).toEqual(['.dist-kept', 'dist', 'libs', 'node_modules', 'tools', 'tsconfig.json']);
  });

  it('deletes the output of a source that was deleted', async () => {
    writeFileSync(join(root, 'libs/dropped.ts'), 'export {};');
    expect(await build()).toBe(0);
    rmSync(join(root, 'libs/dropped.ts'));
    expect(await build()).toBe(0);
    expect(readdirSync(join(root, 'dist/libs'))).toEqual(['kept.js']);
  });

  it('that fails keeps the result of the last one', async () => {
    source('export const kept: string = 2;');
    expect(await build()).not.toBe(0);
    expect(built()).toContain('kept = 1');
  });

  it('of the programs leaves out specs, and everything but apps, libs and contracts', async () => {
    cpSync('tsconfig.build.json', join(root, 'tsconfig.build.json'));
    for (const folder of ['apps', 'contracts', 'test']) mkdirSync(join(root, folder), { recursive: true });
    for (const file of ['libs/kept.spec.ts', 'test/world.ts', 'apps/main.ts', 'test/expected.json'])
      writeFileSync(join(root, file), file.endsWith('.ts') ? 'export {};' : '{}');
    source('export const kept = 1;');
    expect(await build('--programs')).toBe(0);
    expect([readdirSync(join(root, 'dist')).toSorted(), readdirSync(join(root, 'dist/libs'))]).toEqual([['apps', 'libs'], ['kept.js']]);
  });
});
