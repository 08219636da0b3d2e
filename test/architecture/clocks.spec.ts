import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Who may read the clock of the machine, and why. */
const ALLOWED: Readonly<Record<string, string>> = {
  'libs/kernel/src/machine/clock.ts': 'the clock of the machine itself',
  'libs/persistence/src/connection/database-clock.ts': 'compares it with the database',
  'libs/queue/src/job-queue.ts': 'BullMQ computes the next run with it',
  'libs/queue/src/bullmq/bullmq-job-queue.ts': 'BullMQ takes times of the machine',
  'libs/content-storage/src/files/packs.ts': 'compared with times of files on the same machine',
  'libs/content-storage/src/files/file-content-store.ts': 'compared with times of files on the same machine',
  'libs/chain/src/node/anvil-node.ts': 'a wait within the process',
  'libs/chain/src/node/chain-session.ts': 'the first block of an embedded chain',
  'libs/chain/src/node/anvil-process.ts': 'a wait within the process',
  'libs/chain/src/node/replay-blocks.ts': 'the next block of an embedded chain',
  'libs/chain/src/indexer/indexer.ts': 'a wait within the process',
  'libs/chain/src/rpc/rpc-endpoint.ts': 'a wait within the process',
  'libs/chain/src/prepare/rpc-transaction-preparer.ts': 'the age of a value within the process',
  'apps/runtime/src/metrics/job-metrics.ts': 'Prometheus compares it with its own clock',
};
const ROOTS = ['libs', 'apps/api/src', 'apps/worker/src', 'apps/runtime/src'];
const MACHINE = /\bnew Date\(\)|\bDate\.now\b/;

/** docs/spec/reliability.md#clocks */
describe('the clock of the machine', () => {
  const files = ROOTS.flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name))).filter(
    (path) => /\.ts$/.test(path) && !/\.(spec|suite|d)\.ts$|\/testing\/|^libs\/client\/|\/node_modules\//.test(path),
  );
  const readers = files.filter((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .some((line) => MACHINE.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line)),
  );

  it('is read only where no other process sees it', () => {
    expect(readers.filter((path) => !(path in ALLOWED))).toEqual([]);
  });

  it('has no exception that is not needed', () => {
    expect(Object.keys(ALLOWED).filter((path) => !readers.includes(path))).toEqual([]);
  });
});
