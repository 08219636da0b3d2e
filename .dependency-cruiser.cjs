// The rules of docs/explanation/architecture.md, checked by `npm run lint:architecture` and in `npm test`.
// Every rule has a deliberate violation in test/architecture that proves it.
const contexts = 'identity|traceability|custody|recall|transactions|reports|interchange|passports|webhooks';
const engines = 'chain|content-storage|persistence|queue|http|config|tracing';
const spec = '[.]spec[.]ts$';
/** Libraries without I/O, clock or framework, which a rule may lean on. */
const pureLibraries = '^node_modules/(ajv|ajv-formats|decimal[.]js|semver|safe-regex2|fastest-levenshtein|uuid|ipaddr[.]js|@noble/hashes|js-sha3|@rapideditor/country-coder)/';
/** What each context may ask: the DAG of the architecture. */
const upstream = {
  identity: [],
  traceability: ['identity'],
  custody: ['identity', 'traceability'],
  recall: ['identity', 'traceability'],
  transactions: ['identity', 'traceability'],
  reports: ['identity', 'traceability', 'custody', 'recall', 'transactions'],
  interchange: ['identity', 'traceability', 'custody', 'recall', 'transactions'],
  passports: ['identity', 'traceability', 'recall'],
  webhooks: ['identity'],
};

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'kernel-is-pure',
      comment: 'the kernel imports itself and pure libraries',
      severity: 'error',
      from: { path: '^libs/kernel/', pathNot: spec },
      to: { pathNot: ['^libs/kernel/', pureLibraries, '^(node:)?crypto$'] },
    },
    {
      name: 'client-talks-http-only',
      comment: 'the client knows the service by its public API',
      severity: 'error',
      from: { path: '^libs/client/', pathNot: spec },
      to: { path: '^(libs/(?!client/)|apps|contracts)' },
    },
    {
      name: 'portal-talks-http-only',
      comment: 'the portal knows the service as everybody does: by the client',
      severity: 'error',
      from: { path: '^apps/portal/' },
      to: { path: '^(libs/(?!client/src/index[.]ts$)|apps/(?!portal/)|contracts|test|bench)' },
    },
    {
      name: 'domain-is-pure',
      comment: 'a domain imports its own domain, the kernel and pure libraries: no framework, no clock, no I/O',
      severity: 'error',
      from: { path: '^libs/([^/]+)/src/domain/', pathNot: spec },
      to: { pathNot: ['^libs/$1/src/domain/', '^libs/$1/src/contract[.]ts$', '^libs/kernel/src/index[.]ts$', pureLibraries, '^(node:)?crypto$'] },
    },
    {
      name: 'application-knows-no-adapter',
      severity: 'error',
      from: { path: '^libs/[^/]+/src/application/', pathNot: spec },
      to: { path: ['^libs/[^/]+/src/adapters/', '^node_modules/(typeorm|pg|bullmq|ioredis|fastify|undici|ethers)/'] },
    },
    {
      name: 'contexts-by-front-door',
      comment: 'another library only through its index.ts (or, in tests, its testing/index.ts)',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: ['^libs/$1/', '^libs/[^/]+/src/index[.]ts$', '^libs/[^/]+/src/testing/index[.]ts$'] },
    },
    {
      name: 'outsiders-by-front-door',
      severity: 'error',
      from: { path: '^(apps|test|bench)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: ['^libs/[^/]+/src/index[.]ts$', '^libs/[^/]+/src/testing/index[.]ts$'] },
    },
    {
      name: 'testing-only-in-tests',
      severity: 'error',
      from: { pathNot: [spec, '^(test|bench)/', '/testing/'] },
      to: { path: '/testing/' },
    },
    {
      name: 'engines-know-no-context',
      severity: 'error',
      from: { path: `^libs/(${engines}|kernel)/` },
      to: { path: `^libs/(${contexts})/` },
    },
    { name: 'libs-know-no-app', severity: 'error', from: { path: '^(libs|contracts)/' }, to: { path: '^(apps|test|bench)/' } },
    ...Object.entries(upstream).map(([context, allowed]) => ({
      name: `${context}-asks-upstream-only`,
      severity: 'error',
      from: { path: `^libs/${context}/`, pathNot: spec },
      to: { path: `^libs/(${contexts})/`, pathNot: [context, ...allowed].map((name) => `^libs/${name}/`) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|contracts/(out|cache))/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['trace-source', 'types', 'import', 'require', 'node', 'default'], mainFields: ['module', 'main', 'types'] },
  },
};
