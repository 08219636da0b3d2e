import { explain, statementsOf } from './graph-explain.js';
import type { Track } from './graph-walks.js';
import { type Spent, spent } from './processor.js';
import { type Measurement, median } from './report.js';

const ROUNDS = 7;

/** The service over HTTP as one caller. */
export class Caller {
  private constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  static async login(baseUrl: string, email: string, password: string, tenantId: string): Promise<Caller> {
    const response = await fetch(`${baseUrl}/api/v2/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password, tenantId }),
    });
    const { accessToken } = (await response.json()) as { accessToken: string };
    return new Caller(baseUrl, accessToken);
  }

  /** Read to the last byte. */
  async get(path: string): Promise<string> {
    const response = await fetch(this.baseUrl + path, {
      headers: { authorization: `Bearer ${this.token}`, 'accept-encoding': 'identity' },
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${body.slice(0, 300)}`);
    return body;
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.get(path)) as T;
  }
}

export interface Stopwatch {
  readonly dataDir: string;
  /** See `idleShare`: it is taken off. */
  readonly idle: number;
}

/** Median time of a request, answer read and parsed, and the processor time of client, service and database in it. */
export async function timed(
  caller: Caller,
  { dataDir, idle }: Stopwatch,
  what: string,
  path: string,
  limit?: string,
): Promise<Measurement[]> {
  const runs: Spent[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const run = await spent(dataDir, () => caller.json(path));
    // The first round reads what the others find in memory.
    if (round > 0) runs.push(run);
  }
  const worked = runs.flatMap((run) => (run.worked === null ? [] : Math.max(0, run.worked - idle * run.took)));
  return [
    { what: `${what}, over HTTP`, value: median(runs.map(({ took }) => took)), unit: 'ms', ...(limit && { limit }) },
    ...(worked.length > 0 ? [{ what: `${what}, processor time of client, service and database`, value: median(worked), unit: 'ms' }] : []),
  ];
}

/** How long a request takes, how many pages of the database its statements read, and through which indexes. */
export async function readCost(
  caller: Caller,
  { unitOfWork, tenantId, dataDir }: Track,
  what: string,
  path: string,
): Promise<Measurement[]> {
  const [time] = await timed(caller, { dataDir, idle: 0 }, what, path);
  const statements = (await statementsOf(() => caller.get(path))).filter(
    ({ text }) => /^\s*(select|with)\b/i.test(text) && text.includes('traceability.'),
  );
  const plans = [];
  for (const statement of statements) plans.push(await unitOfWork.inSnapshot({ tenantId }, (tx) => explain(tx, statement)));
  const note = plans
    .map(({ pages, milliseconds: took, rows, scans }) => `${rows} rows from ${pages} pages in ${took.toFixed(1)} ms by ${scans.join(', ')}`)
    .join('; ');
  return [
    time!,
    { what: `${what}: pages of its ${plans.length} statements`, value: plans.reduce((sum, { pages }) => sum + pages, 0), unit: '', note },
  ];
}
