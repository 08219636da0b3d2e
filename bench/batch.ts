import { type EventSubmission, TraceabilityClient } from '#client';
import { readScenario } from '../apps/cli/src/demo/scenario.js';
import { withDemoService } from './demo-service.js';
import { type Measurement, type Scenario, median } from './report.js';

const AT_ONCE = 8;
const EVENTS = 400;
const BATCH = 100;
const ROUNDS = 5;

export const scenario: Scenario = {
  name: 'batch',
  about:
    '`POST /api/v1/events/prepare/batch` with 100 events, one request after the other, compared with the same events in single requests, 8 at a time; same service, embedded engines. Rounds alternate; the ratio is of the medians.',
  run: (say) =>
    withDemoService('batch', async ({ service, tenant }): Promise<readonly Measurement[]> => {
      const { email, password } = tenant.actors.farmA!;
      const farm = await TraceabilityClient.login(service.baseUrl, email, password);
      const { processType, metadata } = readScenario('rice').steps[0] as unknown as EventSubmission;
      let serial = 0;
      const events = (count: number): EventSubmission[] =>
        Array.from({ length: count }, () => ({
          processType,
          outputTlc: `RH-20260915-${(++serial).toString(36).toUpperCase().padStart(6, '0')}`,
          metadata,
        }));
      const rate = async (work: () => Promise<void>): Promise<number> => {
        const started = performance.now();
        await work();
        return (EVENTS * 1000) / (performance.now() - started);
      };
      const single = (): Promise<number> => {
        const waiting = events(EVENTS);
        const client = async (): Promise<void> => {
          for (let next = waiting.pop(); next; next = waiting.pop()) await farm.events.prepare(next);
        };
        return rate(async () => void (await Promise.all(Array.from({ length: AT_ONCE }, client))));
      };
      const batched = (): Promise<number> =>
        rate(async () => {
          for (let done = 0; done < EVENTS; done += BATCH) {
            const { prepared } = await farm.events.prepareBatch(events(BATCH));
            if (prepared !== BATCH) throw new Error(`${BATCH - prepared} of a batch were refused`);
          }
        });
      await single();
      await batched();
      const [singles, batches]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        singles.push(await single());
        batches.push(await batched());
        say(`round ${round + 1}: one by one ${singles.at(-1)!.toFixed(0)}/s, in batches ${batches.at(-1)!.toFixed(0)}/s`);
      }
      return [
        { what: 'one a request, 8 at a time', value: median(singles), unit: 'events/s' },
        { what: 'batches of 100, one at a time', value: median(batches), unit: 'events/s' },
        { what: 'ratio', value: median(batches) / median(singles), unit: '', limit: 'more than 1' },
      ];
    }),
};
