import { type Scenario, report } from './report.js';

/** `npm run bench` measures everything; `npm run bench -- prepare` one scenario. */
const SCENARIOS: Readonly<Record<string, () => Promise<{ readonly scenario: Scenario }>>> = {
  start: () => import('./start.js'),
  'chain-start': () => import('./chain-start.js'),
  prepare: () => import('./prepare.js'),
  webhooks: () => import('./webhooks.js'),
  changes: () => import('./changes.js'),
  graph: () => import('./graph.js'),
  batch: () => import('./batch.js'),
  recall: () => import('./recall.js'),
  indexer: () => import('./indexer.js'),
  reports: () => import('./reports.js'),
  guard: () => import('./guard.js'),
  metrics: () => import('./metrics.js'),
  passports: () => import('./passports.js'),
  resolver: () => import('./resolver.js'),
  epcis: () => import('./epcis.js'),
  'epcis-queries': () => import('./epcis-queries.js'),
  privacy: () => import('./privacy.js'),
  imports: () => import('./imports.js'),
  portal: () => import('./portal.js'),
  load: () => import('./load.js'),
  routes: () => import('./routes.js'),
  reads: () => import('./reads.js'),
  peers: () => import('./peers.js'),
  schemas: () => import('./schemas.js'),
  shares: () => import('./shares.js'),
  relay: () => import('./relay.js'),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in SCENARIOS));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are: ${Object.keys(SCENARIOS).join(', ')}`);
  process.exit(1);
}
for (const name of asked.length > 0 ? asked : Object.keys(SCENARIOS)) {
  const { scenario } = await SCENARIOS[name]!();
  console.log(report(scenario, await scenario.run((line) => console.error(line))));
}
process.exit(0);
