import { performance } from 'node:perf_hooks';
import { Pool } from 'undici';
import type { PreparedTx } from '#client';
import { Dice } from '../seed-dice.js';
import { type LoadTenant, freshHarvest } from './tenants.js';

export type Kind = 'lot read' | 'lot list' | 'event read' | 'event list' | 'prepare' | 'track';
/** Of a hundred requests. */
export const MIX: Readonly<Record<Kind, number>> = {
  'lot read': 40,
  'lot list': 20,
  'event read': 10,
  'event list': 10,
  prepare: 15,
  track: 5,
};

export interface Outcome {
  readonly seconds: number;
  /** Milliseconds of each answer, as the caller waited for it. */
  readonly times: ReadonlyMap<Kind, readonly number[]>;
  /** How often each refusal or fault came, by what it said; 429 apart. */
  readonly faults: ReadonlyMap<string, number>;
  readonly limited: number;
}

export const requestsOf = ({ times }: Outcome): number => [...times.values()].reduce((sum, { length }) => sum + length, 0);

/** Where requests of the mix go: to the service or to the bare routes. */
export interface Target {
  readonly baseUrls: readonly string[];
  readonly kind: 'service' | 'bare';
}

interface MixRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/** Prepared transactions that are neither signed nor sent. Tracking takes one of them; the oldest are dropped. */
const MOST_UNSENT = 5;

/** So many connections, each of which sends its next request when it has the answer to the last one. */
export class Mix {
  private serial = 1_000_000;
  private readonly unsent = new Map<string, PreparedTx[]>();

  constructor(
    private readonly tenants: readonly LoadTenant[],
    private readonly connections: number,
    private readonly shares: Partial<Record<Kind, number>> = MIX,
  ) {}

  async run({ baseUrls, kind: target }: Target, seconds: number): Promise<Outcome> {
    const pools = baseUrls.map((url) => new Pool(url, { connections: Math.ceil(this.connections / baseUrls.length), pipelining: 1 }));
    const [times, faults] = [new Map<Kind, number[]>(), new Map<string, number>()];
    let limited = 0;
    const from = performance.now();
    const until = from + seconds * 1_000;
    const connection = async (n: number): Promise<void> => {
      const dice = new Dice(n + 1);
      while (performance.now() < until) {
        const tenant = this.tenants[dice.below(this.tenants.length)]!;
        const kind = drawn(dice.below(100), this.shares);
        const asked = await this.request(kind, tenant, dice, target);
        const sent = performance.now();
        const { status, text } = await answerOf(pools[n % pools.length]!, asked, tenant.accessToken);
        if (status === 429) limited++;
        else if (status !== 200) count(faults, `${kind}: ${status} ${text.slice(0, 300)}`);
        else {
          collect(times, kind, performance.now() - sent);
          if (kind === 'prepare' && target === 'service') this.keep(tenant, (JSON.parse(text) as { preparedTx: PreparedTx }).preparedTx);
        }
      }
    };
    await Promise.all(Array.from({ length: this.connections }, (_, n) => connection(n)));
    const took = (performance.now() - from) / 1_000;
    await Promise.all(pools.map((pool) => pool.close()));
    return { seconds: took, times, faults, limited };
  }

  private async request(kind: Kind, tenant: LoadTenant, dice: Dice, target: Target['kind']): Promise<MixRequest> {
    const lot = tenant.lots[dice.below(tenant.lots.length)]!;
    const event = tenant.events[dice.below(tenant.events.length)]!;
    if (kind === 'lot read') return { method: 'GET', path: `/api/v1/nfts/${lot}` };
    if (kind === 'lot list') return { method: 'GET', path: '/api/v1/nfts?limit=20' };
    if (kind === 'event read') return { method: 'GET', path: `/api/v1/events/${event}` };
    if (kind === 'event list') return { method: 'GET', path: '/api/v1/events?limit=20' };
    if (kind === 'prepare') return { method: 'POST', path: '/api/v1/events/prepare', body: freshHarvest(this.serial++) };
    return { method: 'POST', path: '/api/v1/tx/track', body: { txHash: await this.sent(tenant, target) } };
  }

  private keep({ slug }: LoadTenant, preparedTx: PreparedTx): void {
    const waiting = this.unsent.get(slug) ?? [];
    this.unsent.set(slug, [...waiting, preparedTx].slice(-MOST_UNSENT));
  }

  /** The hash of a transaction that the tenant has just signed and sent; of none where nothing is prepared, which the service watches too. */
  private async sent({ slug, sender }: LoadTenant, target: Target['kind']): Promise<string> {
    const preparedTx = target === 'service' ? this.unsent.get(slug)?.pop() : undefined;
    if (preparedTx) return sender.send(preparedTx);
    return `0x${(this.serial++).toString(16).padStart(64, '0')}`;
  }
}

function drawn(of100: number, shares: Partial<Record<Kind, number>>): Kind {
  let left = of100;
  for (const [kind, share] of Object.entries(shares)) {
    if (left < share) return kind as Kind;
    left -= share;
  }
  return 'lot read';
}

async function answerOf(pool: Pool, { method, path, body }: MixRequest, accessToken: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${accessToken}`, ...(body && { 'content-type': 'application/json' }) };
  try {
    const answer = await pool.request({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.statusCode, text: await answer.body.text() };
  } catch (error) {
    return { status: 0, text: (error as Error).message };
  }
}

const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

function collect(times: Map<Kind, number[]>, kind: Kind, ms: number): void {
  const all = times.get(kind);
  if (all) all.push(ms);
  else times.set(kind, [ms]);
}
