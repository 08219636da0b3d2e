import type { TraceabilityClient } from '#client';
import { it } from '@jest/globals';
import { findChromium } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import type { World } from '../harness/world.js';
import type { Json, RiceTrade } from './rice-trade.js';

export const LINK = '/01/09520123450014/10/RP262641';
export const JACKET = '/01/09520223450013/10/JK2630A100';

export const chromium = findChromium();
export const inBrowser = chromium === null ? it.skip : it;
if (chromium === null) process.stderr.write('!! No Chromium was found: passports are NOT tested in a browser. CHROMIUM_PATH names one.\n');

/** Requests a minute to public pages from one address. */
export const LIMIT = 60;

/** What the suites of the journey share; `passports.spec.ts` fills it before they run, in their order. */
export const journey = {} as { world: World; trade: RiceTrade; wool: TraceabilityClient };

let readers = 0;
/** Each time another reader, from an address of its own. */
export const ask = (
  path: string,
  headers: Record<string, string> = { accept: 'application/json' },
  redirect: 'follow' | 'manual' = 'follow',
): Promise<Response> => {
  const address = `198.18.${(++readers >> 8) & 255}.${readers & 255}`;
  return fetch(journey.world.baseUrl + path, { headers: { 'x-forwarded-for': address, ...headers }, redirect });
};

export const settings = (api: TraceabilityClient, body: object): Promise<Json> =>
  api.request<Json>('PATCH', '/api/v1/passport-settings', body);

export const passportAt = async (path: string): Promise<Json> => (await ask(path)).json() as Promise<Json>;

export const shown = (path: string): Promise<Json> =>
  eventually(`a passport at ${path}`, async () => {
    const answer = await ask(path);
    return answer.status === 200 ? ((await answer.json()) as Json) : undefined;
  });

export const statusOf = async (path: string): Promise<string> => {
  const answer = await ask(path);
  return `${answer.status} ${((await answer.json()) as { code?: string }).code ?? ''}`.trim();
};
