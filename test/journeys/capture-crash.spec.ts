import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { type DemoFile, readDemoFile } from '../../apps/cli/src/demo/demo-file.js';
import { documentOf } from '../../bench/epcis.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { Program } from '../harness/program.js';

type Json = Record<string, any>;

/** Several batches, of which the first ones are saved while the last ones are prepared. */
const EVENTS = 3_000;

describe('a capture whose process is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trace-capture-'));
  let program: Program;

  beforeAll(async () => {
    program = new Program(folder, await freePort());
    program.launch();
    await program.ready();
  });
  afterAll(async () => {
    await program.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const farm = (): Promise<TraceabilityClient> => {
    const { baseUrl, tenants } = readDemoFile(folder) as DemoFile;
    const { email, password } = tenants[0]!.actors['farmA']!;
    return TraceabilityClient.login(baseUrl, email, password, 'rice');
  };
  const preparedIn = async (api: TraceabilityClient): Promise<number> =>
    (await api.get<{ total: number }>('/api/v1/events?status=prepared&limit=1')).total;

  it('goes on after the restart: each event is prepared once, and waits with its transaction', async () => {
    const api = await farm();
    let serial = 0;
    const document = JSON.parse(documentOf(readDemoFile(folder)!.baseUrl, EVENTS, () => ++serial)) as object;
    const { captureID, running } = await api.post<Json>('/epcis/rice/capture', document);
    expect(running).toBe(true);
    const atKill = await eventually('some of it is prepared', async () => preparedIn(api), { everyMs: 20 });
    await program.kill();
    expect(atKill).toBeLessThan(EVENTS);
    program.launch();
    await program.ready();
    const again = await farm();
    const job = await eventually('the capture has finished', async () => {
      const found = await again.get<Json>(`/epcis/rice/capture/${captureID as string}`);
      return found['running'] === false && found;
    });
    const events = job['events'] as Json[];
    expect([job['success'], job['errors'], events.length]).toEqual([true, [], EVENTS]);
    expect(events.filter(({ state, preparedTx }) => state !== 'awaiting_signature' || preparedTx === null)).toEqual([]);
    expect(new Set(events.map(({ eventId }) => eventId as string)).size).toBe(EVENTS);
    expect(await preparedIn(again)).toBe(EVENTS);
  });
});
