import { afterEach, describe, expect, it } from '@jest/globals';
import { processMapTemplates } from '../../templates/templates.js';
import { SchemaSettings, SchemaThreads, TookTooLong } from './schema-threads.client.js';

/** The first check of a thread compiles the format, too: some 100 ms. */
const document = processMapTemplates[0];
/** Processor time is known on Linux only. */
const onLinux = process.platform === 'linux' ? it : it.skip;

describe('a check of what a tenant wrote', () => {
  let threads: SchemaThreads;
  afterEach(() => threads.onApplicationShutdown());
  const check = (settings: Partial<SchemaSettings>): Promise<unknown> => {
    threads = new SchemaThreads(Object.assign(new SchemaSettings(), settings));
    return threads.run('a', { kind: 'check', document });
  };

  it('that has used its time took too long', async () => {
    await expect(check({ checkMs: 20, longestWait: 100_000 })).rejects.toBeInstanceOf(TookTooLong);
  });

  onLinux('that was given no processor is no fault of the tenant: the service is busy', async () => {
    await expect(check({ checkMs: 100_000, longestWait: 0.000_1 })).rejects.toMatchObject({
      status: 503,
      code: 'service_busy',
      details: { retryAfterSeconds: 10 },
    });
  });
});
