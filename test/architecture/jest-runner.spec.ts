import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/** test/harness/jest/runner.mjs: no file may end its worker unseen. */
describe('the runner of spec files', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trace-runner-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function run(files: Record<string, string>): { ok: boolean; output: string } {
    const head = `import { it } from '@jest/globals';\n`;
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.spec.mjs`), head + text);
    const config = {
      rootDir: folder,
      testMatch: [`${folder}/*.spec.mjs`],
      testRunner: resolve('test/harness/jest/runner.mjs'),
      moduleFileExtensions: ['mjs', 'js'],
      transform: {},
      maxWorkers: 2,
    };
    const { status, stderr } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', '--config', JSON.stringify(config)], {
      encoding: 'utf8',
    });
    return { ok: status === 0, output: stderr };
  }

  it('fails a file that ends the process, and goes on', () => {
    const { ok, output } = run({ ends: `it('ends', () => process.exit(3));`, stays: `it('stays', () => undefined);` });
    expect({ ok, output }).toEqual({ ok: false, output: expect.stringContaining('process.exit(3) was called in the worker') });
    expect(output).toMatch(/1 failed, 1 passed, 2 total/u);
  });

  it('names an error that comes after the end of its file, and goes on', () => {
    const { ok, output } = run({
      late: `it('leaves a timer', () => void setTimeout(() => Promise.reject(new Error('too late')), 50));`,
      long: `it('takes its time', () => new Promise((done) => setTimeout(done, 2_000)));`,
    });
    expect({ ok, output }).toEqual({ ok: true, output: expect.stringMatching(/after .*late\.spec\.mjs: Error: too late/u) });
  });
});
