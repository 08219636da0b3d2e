import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeededFolder } from './seed-tenant.js';
import { startBenchService } from './seed-tenant.js';

/**
 * Everything that a filled tenant has recorded, as one EPCIS document. What is in memory while it is written is told in parts: flat means
 * that the last parts hold no more than the first. Reader and service share the process.
 */
const folder = process.argv[2]!;
const { login, tenant } = JSON.parse(readFileSync(join(folder, 'bench.json'), 'utf8')) as SeededFolder;
const service = await startBenchService(folder, () => undefined);
try {
  const signedIn = await fetch(`${service.baseUrl}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...login, tenantId: tenant.slug }),
  });
  const { accessToken } = (await signedIn.json()) as { accessToken: string };
  const began = performance.now();
  const answer = await fetch(`${service.baseUrl}/api/v1/events?format=epcis&all=true`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  let [events, bytes, told] = [0, 0, 0];
  for await (const chunk of answer.body!) {
    bytes += chunk.length;
    events += Buffer.from(chunk).toString('latin1').split('"eventID"').length - 1;
    if (events - told < 10_000) continue;
    told = events;
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    const seconds = (performance.now() - began) / 1000;
    console.log(
      `${events} events, ${seconds.toFixed(1)} s, heap ${(heapUsed / 2 ** 20).toFixed(0)} MiB, resident ${(rss / 2 ** 20).toFixed(0)} MiB`,
    );
  }
  console.log(
    `${events} events, ${(bytes / 2 ** 20).toFixed(0)} MiB in ${((performance.now() - began) / 1000).toFixed(1)} s, status ${answer.status}`,
  );
} finally {
  await service.close();
}
