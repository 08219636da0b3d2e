import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = resolve('.');
interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly path?: string };
}
const rules = (createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as { forbidden: Rule[] }).forbidden;

/** A file of the first feature that a rule of the DAG names, importing one that it may not: of a later feature, or of another on its floor. */
function earlyImport({ name, from, to }: Rule): [string, Readonly<Record<string, string>>] {
  const [, context, feature] = /^\^libs\/([a-z]+)\/src\/\(([a-z0-9-]+)/.exec(from.path!)!;
  const [, later] = /src\/\(([a-z0-9-]+)/.exec(to.path!)!;
  return [
    name,
    {
      [`libs/${context}/src/${feature}/early.ts`]: `import '../${later}/late.js';`,
      [`libs/${context}/src/${later}/late.ts`]: 'export {};',
    },
  ];
}

/** For each rule one file that breaks it, and the files that it needs. Paths are those of the repository. */
const VIOLATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no-circular': {
    'libs/http/src/a.ts': "import './b.js'; export const a = 1;",
    'libs/http/src/b.ts': "import './a.js'; export const b = 1;",
  },
  unresolvable: { 'libs/http/src/lost.ts': "import './nowhere.js';" },
  'geography-is-pure': { 'libs/geography/src/curious.ts': "import '#kernel';" },
  'kernel-is-pure': { 'libs/kernel/src/impure.ts': "import 'node:fs';" },
  'envelope-is-pure': { 'libs/envelope/src/impure.ts': "import 'node:fs';" },
  'client-talks-http-only': { 'libs/client/src/insider.ts': "import '#kernel';" },
  'portal-talks-http-only': { 'apps/portal/src/insider.tsx': "import '#kernel';" },
  'domain-is-pure': { 'libs/webhooks/src/deliveries/delivery.ts': "import '@nestjs/common';" },
  'rules-know-rules-only': {
    'libs/webhooks/src/deliveries/retry.rules.ts': "import './retries.queries.js';",
    'libs/webhooks/src/deliveries/retries.queries.ts': 'export {};',
  },
  'use-case-knows-no-adapter-of-http-chain-or-queue': {
    'libs/webhooks/src/deliveries/send-delivery.ts': "import './sent.controller.js';",
    'libs/webhooks/src/deliveries/sent.controller.ts': 'export {};',
  },
  'use-case-takes-only-types-of-a-dto': {
    'libs/webhooks/src/deliveries/list-deliveries.ts': "import { Shape } from './shape.dto.js'; export const shape = new Shape();",
    'libs/webhooks/src/deliveries/shape.dto.ts': 'export class Shape {}',
  },
  'queries-know-rules-and-the-database-only': {
    'libs/webhooks/src/deliveries/high.queries.ts': "import './high.controller.js';",
    'libs/webhooks/src/deliveries/high.controller.ts': 'export {};',
  },
  'sql-stands-in-queries': { 'libs/webhooks/src/deliveries/find-delivery.ts': "import 'typeorm';" },
  'http-knows-no-chain-queue-or-database': {
    'libs/webhooks/src/deliveries/low.controller.ts': "import './row.entity.js';",
    'libs/webhooks/src/deliveries/row.entity.ts': 'export {};',
  },
  'projector-knows-no-http-or-queue': {
    'libs/custody/src/landing/landed.projector.ts': "import './landed.job.js';",
    'libs/custody/src/landing/landed.job.ts': 'export {};',
  },
  'job-knows-no-http-or-database': {
    'libs/custody/src/landing/shown.job.ts': "import './shown.dto.js';",
    'libs/custody/src/landing/shown.dto.ts': 'export {};',
  },
  'client-knows-rules-only': {
    'libs/custody/src/landing/node.client.ts': "import './kept.queries.js';",
    'libs/custody/src/landing/kept.queries.ts': 'export {};',
  },
  'page-renders-only': {
    'libs/custody/src/landing/label.page.ts': "import './data.queries.js';",
    'libs/custody/src/landing/data.queries.ts': 'export {};',
  },
  'nobody-knows-the-wiring': {
    'libs/custody/src/landing/wired.client.ts': "import '../custody.module.js';",
    'libs/custody/src/custody.module.ts': 'export {};',
  },
  ...Object.fromEntries(rules.filter(({ name }) => name.endsWith('-imports-earlier-features-only')).map(earlyImport)),
  'contexts-by-front-door': {
    'libs/custody/src/feature/deep.ts': "import '../../../traceability/src/lots/secret.js';",
    'libs/traceability/src/lots/secret.ts': 'export {};',
  },
  'outsiders-by-front-door': { 'apps/api/src/deep.ts': "import '../../../libs/traceability/src/lots/secret.js';" },
  'testing-only-in-tests': {
    'libs/custody/src/feature/fake.ts': "import '#identity/testing';",
    'libs/identity/src/testing/index.ts': 'export {};',
  },
  'engines-know-no-context': { 'libs/chain/src/curious.ts': "import '#custody';" },
  'prepare-knows-no-context': { 'libs/prepare/src/curious.ts': "import '#identity';" },
  'prepare-above-engines': { 'libs/chain/src/upwards.ts': "import '#prepare';" },
  'libs-know-no-app': {
    'libs/custody/src/feature/app.ts': "import '../../../../apps/api/src/main.js';",
    'apps/api/src/main.ts': 'export {};',
  },
  'identity-asks-upstream-only': { 'libs/identity/src/feature/up.ts': "import '#traceability';" },
  'traceability-asks-upstream-only': { 'libs/traceability/src/feature/up.ts': "import '#custody';" },
  'documents-asks-upstream-only': { 'libs/documents/src/feature/up.ts': "import '#recall';" },
  'custody-asks-upstream-only': { 'libs/custody/src/feature/up.ts': "import '#recall';" },
  'recall-asks-upstream-only': { 'libs/recall/src/feature/up.ts': "import '#custody';" },
  'transactions-asks-upstream-only': { 'libs/transactions/src/feature/up.ts': "import '#webhooks';" },
  'reporting-asks-upstream-only': { 'libs/reporting/src/up.ts': "import '#webhooks';" },
  'interchange-asks-upstream-only': { 'libs/interchange/src/feature/up.ts': "import '#passports';" },
  'passports-asks-upstream-only': { 'libs/passports/src/feature/up.ts': "import '#custody';" },
  'webhooks-asks-upstream-only': { 'libs/webhooks/src/feature/up.ts': "import '#traceability';" },
};
const FRONT_DOORS = ['kernel', 'prepare', 'traceability', 'custody', 'recall', 'webhooks', 'identity', 'passports'];

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
    expect(Object.keys(VIOLATIONS).toSorted()).toEqual(rules.map(({ name }) => name).toSorted());
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
