import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = resolve('.');
const rules = (createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as { forbidden: { name: string }[] }).forbidden.map(
  ({ name }) => name,
);

/** For each rule one file that breaks it, and what it needs to stand. Paths are those of the repository. */
const VIOLATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no-circular': {
    'libs/http/src/a.ts': "import './b.js'; export const a = 1;",
    'libs/http/src/b.ts': "import './a.js'; export const b = 1;",
  },
  unresolvable: { 'libs/http/src/lost.ts': "import './nowhere.js';" },
  'kernel-is-pure': { 'libs/kernel/src/impure.ts': "import 'node:fs';" },
  'client-talks-http-only': { 'libs/client/src/insider.ts': "import '#kernel';" },
  'portal-talks-http-only': { 'apps/portal/src/insider.tsx': "import '#kernel';" },
  'domain-is-pure': { 'libs/webhooks/src/domain/impure.ts': "import '@nestjs/common';" },
  'application-knows-no-adapter': {
    'libs/webhooks/src/application/low.ts': "import '../adapters/low.js';",
    'libs/webhooks/src/adapters/low.ts': 'export {};',
  },
  'contexts-by-front-door': {
    'libs/custody/src/adapters/deep.ts': "import '../../../traceability/src/domain/secret.js';",
    'libs/traceability/src/domain/secret.ts': 'export {};',
  },
  'outsiders-by-front-door': { 'apps/api/src/deep.ts': "import '../../../libs/traceability/src/domain/secret.js';" },
  'testing-only-in-tests': {
    'libs/custody/src/adapters/fake.ts': "import '#identity/testing';",
    'libs/identity/src/testing/index.ts': 'export {};',
  },
  'engines-know-no-context': { 'libs/chain/src/curious.ts': "import '#custody';" },
  'libs-know-no-app': {
    'libs/custody/src/adapters/app.ts': "import '../../../../apps/api/src/main.js';",
    'apps/api/src/main.ts': 'export {};',
  },
  'identity-asks-upstream-only': { 'libs/identity/src/adapters/up.ts': "import '#traceability';" },
  'traceability-asks-upstream-only': { 'libs/traceability/src/adapters/up.ts': "import '#custody';" },
  'custody-asks-upstream-only': { 'libs/custody/src/adapters/up.ts': "import '#recall';" },
  'recall-asks-upstream-only': { 'libs/recall/src/adapters/up.ts': "import '#custody';" },
  'transactions-asks-upstream-only': { 'libs/transactions/src/adapters/up.ts': "import '#webhooks';" },
  'reports-asks-upstream-only': { 'libs/reports/src/adapters/up.ts': "import '#webhooks';" },
  'interchange-asks-upstream-only': { 'libs/interchange/src/adapters/up.ts': "import '#webhooks';" },
  'passports-asks-upstream-only': { 'libs/passports/src/adapters/up.ts': "import '#webhooks';" },
  'webhooks-asks-upstream-only': { 'libs/webhooks/src/adapters/up.ts': "import '#traceability';" },
};
const FRONT_DOORS = ['kernel', 'traceability', 'custody', 'recall', 'webhooks', 'identity'];

interface Cruise {
  readonly summary: { readonly violations: readonly { readonly rule: { readonly name: string }; readonly from: string }[] };
}

function cruise(cwd: string, folders: readonly string[]): Cruise {
  const run = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'json',
      ...folders,
    ],
    { cwd, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (!run.stdout) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Cruise;
}

describe('the boundaries of the architecture', () => {
  let fixture: string;
  let found: Cruise['summary']['violations'];

  beforeAll(() => {
    fixture = mkdtempSync(join(tmpdir(), 'trace-boundaries-'));
    for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.cjs']) cpSync(join(root, file), join(fixture, file));
    symlinkSync(join(root, 'node_modules'), join(fixture, 'node_modules'));
    const files = Object.assign(
      {},
      ...FRONT_DOORS.map((lib) => ({ [`libs/${lib}/src/index.ts`]: 'export {};' })),
      ...Object.values(VIOLATIONS),
    ) as Record<string, string>;
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(fixture, path)), { recursive: true });
      writeFileSync(join(fixture, path), text);
    }
    found = cruise(fixture, ['apps', 'libs']).summary.violations;
  });

  afterAll(() => rmSync(fixture, { recursive: true, force: true }));

  it('has a deliberate violation for every rule', () => {
    expect(Object.keys(VIOLATIONS).toSorted()).toEqual(rules.toSorted());
  });

  it.each(Object.entries(VIOLATIONS))('%s catches its violation', (rule, files) => {
    const offenders = found.filter((violation) => violation.rule.name === rule).map((violation) => violation.from);
    expect(offenders).toContain(Object.keys(files)[0]);
  });

  it('holds in the repository', () => {
    const { violations } = cruise(root, ['apps', 'libs', 'contracts', 'test', 'bench']).summary;
    expect(violations.map(({ rule, from }) => `${rule.name}: ${from}`)).toEqual([]);
  });
});
