import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';

it('contracts/generated is what contracts/src compiles to', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['contracts/compile.mjs', '--check'], { encoding: 'utf8' });
  // The text of a difference ends with the command that writes the artifacts again.
  expect(stdout + stderr).toBe('contracts/generated agrees with contracts/src\n');
  expect(status).toBe(0);
}, 120_000);

interface Entry {
  readonly type: string;
  readonly name?: string;
  readonly stateMutability?: string;
}

it('every function that changes something is tried by everybody, in Rights.t.sol', () => {
  const rights = readFileSync('contracts/test/Rights.t.sol', 'utf8');
  const words = readFileSync('contracts/test/support/TenantTest.sol', 'utf8');
  const changing = ([...tenantLotsAbi, ...tenantRegistryAbi] as readonly Entry[]).filter(
    ({ type, stateMutability }) => type === 'function' && stateMutability === 'nonpayable',
  );
  expect(changing.length).toBeGreaterThan(25);
  const tried = (name: string): boolean =>
    new RegExp(`(lots|registry)\\.${name}\\b|"${name}\\(`).test(rights) || words.includes(`encodeCall(TenantLots.${name},`);
  const untried = changing.filter(({ name }) => !tried(name!));
  // Of OpenZeppelin's Ownable2Step, with its own tests.
  expect(untried.map(({ name }) => name!).toSorted()).toEqual(['acceptOwnership', 'renounceOwnership', 'transferOwnership']);
});
