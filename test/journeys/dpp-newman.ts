import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Json } from './rice-trade.js';

/** Newman, the runner of Postman collections: where `NEWMAN` says, or in the path. It is no dependency: 63 MB for one suite. */
export const newman: string | null =
  [process.env['NEWMAN'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'newman'))].find(
    (file) => file !== '' && existsSync(file),
  ) ?? null;

export interface Run {
  readonly status: number;
  readonly body: unknown;
  /** Assertions of the collection's own scripts. */
  readonly assertions: number;
  readonly failures: readonly string[];
  /** What its scripts left for the next request. */
  readonly variables: readonly Json[];
}

/** Plays one request of a collection with the scripts around it. @param token bearer of the caller */
export async function runRequest(file: string, collection: Json, token: string): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'newman-'));
  const [source, report, kept] = ['collection', 'report', 'kept'].map((name) => join(folder, `${name}.json`)) as [string, string, string];
  try {
    const auth = { type: 'bearer', bearer: [{ key: 'token', value: token, type: 'string' }] };
    writeFileSync(source, JSON.stringify({ ...collection, auth }));
    const written = ['--reporters', 'json', '--reporter-json-export', report, '--export-collection', kept];
    const child = spawn(file, ['run', source, ...written, '--disable-unicode'], { stdio: 'ignore' });
    await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
    const { run } = JSON.parse(readFileSync(report, 'utf8')) as Json;
    const { response } = run.executions[0] as { response: Json };
    const text = Buffer.from(response['stream'].data as number[]).toString();
    return {
      ...{ status: response['code'] as number, body: text === '' ? {} : JSON.parse(text) },
      assertions: run.stats.assertions.total as number,
      failures: (run.failures as Json[]).map(({ error }) => `${error.test ?? error.name}: ${error.message}`),
      variables: ((JSON.parse(readFileSync(kept, 'utf8')) as Json)['variable'] ?? []) as Json[],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
