import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const PAGES = ['docs/explanation/threat-model.md', 'docs/explanation/attacks-and-faults.md', 'docs/explanation/sealed-contents.md'];
const OWN = 'test/architecture/security.spec.ts';

/** Each test that a page names as `file` "title", and each row of its tables that names none. */
function namedIn(page: string): { readonly tests: readonly (readonly [file: string, title: string])[]; readonly bare: readonly string[] } {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (threat|promise) \|/.test(line));
  const tests = rows.map((row) =>
    [...row.matchAll(/`([\w./-]+\.(?:ts|sol))` "([^"]+)"/g)].map(([, file, title]) => [file!, title!] as const),
  );
  return { tests: tests.flat(), bare: rows.filter((_, i) => tests[i]!.length === 0) };
}

const missing = (tests: readonly (readonly [file: string, title: string])[]): readonly string[] =>
  tests
    .filter(([file, title]) => !existsSync(file) || !readFileSync(file, 'utf8').includes(title))
    .map(([file, title]) => `${file}: ${title}`);

describe('the threat model', () => {
  it.each(PAGES)('names a test for every threat, and tests that are there: %s', (page) => {
    const { tests, bare } = namedIn(readFileSync(page, 'utf8'));
    expect(tests.length).toBeGreaterThan(30);
    expect(bare).toEqual([]);
    expect(missing(tests)).toEqual([]);
  });

  it('would be found wrong with a test that is gone, and with a threat without one', () => {
    const gone = ['was', 'here', 'once'].join(' ');
    const { tests, bare } = namedIn(`| a threat | a guard | \`${OWN}\` "${gone}" |\n| another | a guard | none |`);
    expect(missing(tests)).toEqual([`${OWN}: ${gone}`]);
    expect(bare).toEqual(['| another | a guard | none |']);
  });
});

describe('the service', () => {
  /** What can sign a transaction, or ask a node to: of ethers, and of JSON-RPC. (What is signed already goes into an embedded node again.) */
  const SIGNS =
    /\b(HDNodeWallet|SigningKey|Mnemonic|JsonRpcSigner|signTransaction|eth_sendTransaction|eth_sign\w*|personal_\w+)\b|\{[^}]*\bWallet\b[^}]*\} from 'ethers'/;
  const signs = (text: string): boolean => SIGNS.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''));
  const served = ['libs', 'apps/api', 'apps/worker', 'apps/runtime'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((path) => /\.ts$/.test(path) && !/\.spec\.ts$|\/testing\/|\/node_modules\/|^libs\/client\//.test(path)),
  );

  it('signs for nobody: only the sponsor has a key, and a node is asked for its own only to pay the sponsor in development', () => {
    expect(served.length).toBeGreaterThan(300);
    // The sponsor pays for what others signed, with a key that has no right in any contract.
    expect(served.filter((path) => signs(readFileSync(path, 'utf8')))).toEqual([
      'libs/transactions/src/signing/local-signer.client.ts',
      'apps/runtime/src/fund-sponsor.ts',
    ]);
  });

  it('would be found out with a wallet', () => {
    for (const line of ["import { Contract, Wallet } from 'ethers';", "rpc.call('eth_sendTransaction', [tx])", 'new SigningKey(key)'])
      expect([line, signs(line)]).toEqual([line, true]);
    for (const line of ["import { Wallet } from '../domain/wallet.js';", '// eth_sendTransaction is for its owner'])
      expect(signs(line)).toBe(false);
  });
});

describe('the audit of the packages', () => {
  const audit = async (answer: string, code = 0): Promise<{ state: string; lines: string[] }> => {
    const tool = (await import(pathToFileURL(resolve('tools/audit.mjs')).href)) as {
      audit: (root: string, command: readonly string[]) => { state: string; lines: string[] };
    };
    return tool.audit('.', [process.execPath, '-e', `process.stdout.write(${JSON.stringify(answer)}); process.exitCode = ${code}`]);
  };
  const report = (severity: string): string =>
    JSON.stringify({ vulnerabilities: { left: { name: 'left', severity, range: '<2', fixAvailable: true } }, metadata: {} });

  it('fails on what is serious, tells the rest, and fails nothing where the registry does not answer', async () => {
    expect(await audit(report('critical'), 1)).toEqual({ state: 'weak', lines: ['critical: left <2, a fix is there'] });
    expect(await audit(report('moderate'), 1)).toMatchObject({ state: 'clean' });
    expect(await audit(JSON.stringify({ vulnerabilities: {}, metadata: {} }))).toEqual({ state: 'clean', lines: ['no known weakness'] });
    expect(await audit(JSON.stringify({ message: '405 Method Not Allowed' }), 1)).toMatchObject({ state: 'unanswered' });
    expect(await audit('', 1)).toMatchObject({ state: 'unanswered' });
  });
});
