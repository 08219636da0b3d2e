import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

it('contracts/generated is what contracts/src compiles to', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['contracts/compile.mjs', '--check'], { encoding: 'utf8' });
  // The text of a difference ends with the command that writes the artifacts again.
  expect(stdout + stderr).toBe('contracts/generated agrees with contracts/src\n');
  expect(status).toBe(0);
}, 120_000);
