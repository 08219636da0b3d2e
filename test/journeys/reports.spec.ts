import { afterAll, beforeAll, describe } from '@jest/globals';
import { storedFacts } from './reports-cached.suite.js';
import { documentsAndSheet } from './reports-documents.suite.js';
import { seafoodSheet } from './reports-fsma.suite.js';
import { correctedWords } from './reports-corrected.suite.js';
import { oddFacts } from './reports-odd.suite.js';
import { placesAndTrends } from './reports-seen.suite.js';
import { suppliersAndRequests } from './reports-requests.suite.js';
import { yieldAndInventory } from './reports-stock.suite.js';
import { ReportsWorld } from './reports-world.js';

/** One world for all of them, in this order: later suites use what earlier ones recorded. */
describe('reports', () => {
  let reports: ReportsWorld;
  beforeAll(async () => {
    reports = await ReportsWorld.start();
  });
  afterAll(() => reports?.close());

  placesAndTrends(() => reports);
  yieldAndInventory(() => reports);
  documentsAndSheet(() => reports);
  seafoodSheet(() => reports);
  suppliersAndRequests(() => reports);
  oddFacts(() => reports);
  storedFacts(() => reports);
  correctedWords(() => reports);
});
