import { setTimeout as pause } from 'node:timers/promises';
import { Transaction, Wallet } from 'ethers';
import { type Json, PasskeyRelay, type PreparedTx, type RelayableCall, Sender, TraceabilityClient } from '#client';
import { CreateTenant, InviteMember, OPERATOR } from '#identity';
import { UnitOfWork } from '#persistence';
import { readScenario } from '../apps/cli/src/demo/scenario.js';
import { SoftwarePasskey } from '../apps/cli/src/demo/software-passkey.js';
import { type DemoService, withDemoService } from './demo-service.js';
import { processorTime } from './processor-time.js';
import { type Measurement, type Scenario, median } from './report.js';
import { generateKeyPairSync, randomBytes } from 'node:crypto';

const CALLS = Number(process.env['RELAY_CALLS'] ?? 1_000);
const MEMBERS = 50;
const ROUNDS = Number(process.env['RELAY_ROUNDS'] ?? 3);
const EACH = CALLS / MEMBERS;
/** Requests for preparation at a time. */
const AT_ONCE = 8;
type Say = (line: string) => void;
type Prepared = RelayableCall & { readonly preparedTx: PreparedTx; readonly eventId: string };

export const scenario: Scenario = {
  name: 'relay',
  about: `${CALLS} calls, each of which records a lot, by ${MEMBERS} members with a passkey through \`POST /api/v1/tx/relay\`, all members at once, each with batches of ${EACH} calls that one touch of the passkey signs, from the first request until the sponsor has seen the last one in a block; compared with as many calls of one wallet by \`eth_sendRawTransaction\`, signed before, one after another. Also with a batch a call, where each call costs two requests, a signature that the chain checks, and a transaction of its own. Embedded engines; the clients are in the process of the service. The calls are prepared before. Rounds alternate; the ratios are of the medians.`,
  run: (say) =>
    withDemoService('relay', (demo) => measure(demo, say), {
      ...{ SPONSOR_WEI_PER_DAY: '1'.padEnd(24, '0'), SPONSOR_RELAYS_PER_HOUR: '1000000' },
      // All members have one address here.
      ...{ RATE_LOGINS_PER_ADDRESS: '1000000', RATE_PUBLIC_PER_ADDRESS: '1000000', RATE_REQUESTS: '1000000' },
    }),
};

interface Member {
  readonly api: TraceabilityClient;
  readonly relay: PasskeyRelay;
}

async function measure(demo: DemoService, say: Say): Promise<readonly Measurement[]> {
  const members = await join(demo);
  say(`${members.length} members have passkeys and rights`);
  const [relayed, plain, batched, own]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await sendPlainly(demo));
    const before = processorTime('self');
    relayed.push(await relay(demo, members, 1));
    own.push(((processorTime('self') - before) * 1e6) / CALLS);
    batched.push(await relay(demo, members, EACH));
    say(
      `round ${round + 1}: relayed ${relayed.at(-1)!.toFixed(0)}/s (${own.at(-1)!.toFixed(0)} µs each), plain ${plain.at(-1)!.toFixed(0)}/s, in batches of ${EACH} ${batched.at(-1)!.toFixed(0)}/s`,
    );
  }
  return [
    { what: 'calls of one wallet by `eth_sendRawTransaction`', value: median(plain), unit: 'calls/s' },
    { what: `relayed in batches of ${EACH}`, value: median(batched), unit: 'calls/s' },
    { what: 'relayed in batches ÷ plain', value: median(batched) / median(plain), unit: '', limit: 'at least 0.5' },
    { what: 'relayed, a batch a call', value: median(relayed), unit: 'calls/s' },
    { what: 'a batch a call ÷ plain', value: median(relayed) / median(plain), unit: '', limit: 'at least 0.5' },
    { what: 'processor of the service with a batch a call, clients included', value: median(own), unit: 'µs a call' },
  ];
}

/** Members without a wallet, who accept their invitations with a passkey. */
async function join({ service, tenant }: DemoService): Promise<readonly Member[]> {
  const { app, baseUrl, config } = service;
  const origin = `http://${config.siwe.domains[0]}`;
  const { id: tenantId } = (await app.get(CreateTenant, { strict: false }).find(tenant.slug))!;
  const ids: string[] = [];
  const members: Member[] = [];
  for (let i = 0; i < MEMBERS; i += 1) {
    const given = { email: `relay${i}@rice.example`, roles: ['OPERATOR'] } as const;
    const { userId, invitation } = await app
      .get(InviteMember, { strict: false })
      .add(tenantId, { ...given, roles: ['OPERATOR'] }, OPERATOR);
    const { token } = invitation!;
    const anonymous = new TraceabilityClient(baseUrl);
    const { publicKey } = await anonymous.post<Json>('/api/v2/auth/invitations/passkey/options', { token });
    const { rp } = publicKey as { readonly rp: { readonly id: string } };
    const device = new SoftwarePasskey(
      randomBytes(16).toString('base64url'),
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    );
    const response = device.create(publicKey as never, { origin });
    const session = await anonymous.post<{ accessToken: string }>('/api/v2/auth/invitations/passkey/verify', {
      ...{ token, response, name: 'Phone' },
    });
    const api = new TraceabilityClient(baseUrl, session);
    const ask = ({ publicKey: asked }: { readonly publicKey: Record<string, unknown> }): Promise<Record<string, unknown>> =>
      Promise.resolve(device.get({ challenge: String(asked['challenge']), rpId: rp.id }, { origin }));
    ids.push(userId);
    members.push({ api, relay: new PasskeyRelay(api, ask, device.id) });
  }
  await grant({ service, tenant }, ids);
  return members;
}

async function grant({ service, tenant }: Pick<DemoService, 'service' | 'tenant'>, members: readonly string[]): Promise<void> {
  const { email, password, privateKey } = tenant.admin;
  const { baseUrl, engines } = service;
  const rpcUrl = engines.chain.node.urls[0]!;
  const api = await TraceabilityClient.login(baseUrl, email, password, tenant.slug);
  const { preparedTxs } = await api.post<{ preparedTxs: { preparedTx: PreparedTx }[] }>('/api/v2/members/grants/prepare', { members });
  const sender = new Sender(rpcUrl, new Wallet(privateKey));
  for (const { preparedTx } of preparedTxs) await sender.sendAndWait(preparedTx);
  const sponsored = await api.get<{ sponsor: { address: string } }>('/api/v1/sponsorship');
  await engines.chain.rpc.call('anvil_setBalance', [sponsored.sponsor.address, `0x${(10n ** 24n).toString(16)}`]);
}

const harvest = readScenario('rice').steps[0] as { readonly processType: string; readonly metadata: Json };
let serial = 0;
async function prepared(of: readonly TraceabilityClient[]): Promise<Prepared[]> {
  const made: Prepared[] = [];
  const waiting = [...of];
  const prepareSome = async (): Promise<void> => {
    for (let api = waiting.shift(); api; api = waiting.shift()) {
      const outputTlc = `RH-20260915-${(++serial).toString(36).toUpperCase().padStart(8, '0')}`;
      const { processType, metadata } = harvest;
      made.push(await api.post<Prepared>('/api/v1/events/prepare', { processType, outputTlc, metadata }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, prepareSome));
  return made;
}

const perSecond = (began: number): number => (CALLS * 1_000) / (performance.now() - began);

/** @param size calls of a batch */
async function relay({ service }: DemoService, members: readonly Member[], size: number): Promise<number> {
  const calls: Prepared[][] = [];
  for (const { api } of members) calls.push(await prepared(Array.from({ length: EACH }, () => api)));
  const began = performance.now();
  await Promise.all(
    members.map(async (member, i) => {
      for (let start = 0; start < EACH; start += size) await member.relay.send(calls[i]!.slice(start, start + size));
    }),
  );
  const work = service.app.get(UnitOfWork, { strict: false });
  const left = (): Promise<boolean> =>
    work.readAsSystem(async (tx) => {
      const [row] = await tx.sql<{ left: boolean }>(
        "select exists (select from transactions.relay where status in ('queued', 'sent')) as left",
      );
      return row!.left;
    });
  while (await left()) await pause(10);
  const rate = perSecond(began);
  const [failed] = await work.readAsSystem((tx) => tx.sql("select status, reason from transactions.relay where status <> 'mined' limit 1"));
  if (failed) throw new Error(JSON.stringify(failed));
  return rate;
}

async function sendPlainly({ service, tenant }: DemoService): Promise<number> {
  const { rpc } = service.engines.chain;
  const { email, password, privateKey, address } = tenant.actors.farmA!;
  const api = await TraceabilityClient.login(service.baseUrl, email, password, tenant.slug);
  const calls = await prepared(Array.from({ length: CALLS }, () => api));
  const wallet = new Wallet(privateKey);
  const first = Number(await rpc.call<string>('eth_getTransactionCount', [address, 'latest']));
  const raws = await Promise.all(
    calls.map(({ preparedTx: { to, data, gasEstimate, chainId } }, i) =>
      wallet.signTransaction({
        ...{ to, data, chainId, type: 2, nonce: first + i, gasLimit: Math.ceil(gasEstimate * 1.2) },
        ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n },
      }),
    ),
  );
  const began = performance.now();
  for (const raw of raws) await rpc.call('eth_sendRawTransaction', [raw]);
  const last = Transaction.from(raws.at(-1)).hash;
  while ((await rpc.call('eth_getTransactionReceipt', [last])) === null) await pause(10);
  const rate = perSecond(began);
  await indexed(api, calls);
  return rate;
}

/** What follows the chain has done with them, and does not slow down what is measured next. */
async function indexed(api: TraceabilityClient, calls: readonly Prepared[]): Promise<void> {
  const { eventId } = calls.at(-1)!;
  while ((await api.get<{ readonly status: string }>(`/api/v1/events/${eventId}`)).status !== 'recorded') await pause(100);
}
