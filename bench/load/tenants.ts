import { Wallet } from 'ethers';
import { type EventSubmission, type PreparedEvent, Rpc, Sender, TraceabilityClient } from '#client';
import { configFrom } from '#config';
import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { AddMember, CreateOrganisation, CreateTenant, CreateUser } from '#identity';
import { keccakOf } from '#kernel';
import type { INestApplicationContext } from '@nestjs/common';
import { ensureRegistry } from '../../apps/cli/src/demo/seed.js';
import { callData } from '../../apps/cli/src/demo/contract-call.js';
import { operatorWallet } from '../../apps/cli/src/demo/dev-wallets.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { readTemplate } from '../../apps/cli/src/demo/templates.js';
import { asOperator } from '../../apps/cli/src/operator.js';
import type { Cluster } from '../../test/chaos/cluster.js';
import { eventually } from '../../test/harness/eventually.js';

const LOTS = 6;
/** Answers that are waited for cost the service what every request costs. */
const SELDOM = { everyMs: 200 };
const OPERATOR_ALL = 2n;
const POCKET_MONEY = `0x${(10n ** 21n).toString(16)}`;
const PASSWORD = 'of everybody in this measurement';
/** Of a registry call and of a grant, with room: 193,000 and 51,000 were measured. */
const GAS = { createTenant: 400_000, setRoles: 150_000 };

/** One company of one tenant, at work: its login, its key, its lots. */
export interface LoadTenant {
  readonly slug: string;
  readonly accessToken: string;
  readonly sender: Sender;
  readonly lots: readonly number[];
  readonly events: readonly string[];
}

const harvest = readScenario('rice').steps[0] as { readonly processType: string; readonly metadata: object };

/** A harvest under a code that nothing else has. */
export const freshHarvest = (serial: number): EventSubmission => ({
  processType: harvest.processType,
  outputTlc: `RH-20260915-${serial.toString(36).toUpperCase().padStart(8, '0')}`,
  metadata: harvest.metadata,
});

/** Tenants with a contract, a process map, a company that may record, some lots on chain and a subscription of `sinkUrl`, all by the service's own ways. */
export async function makeTenants(cluster: Cluster, count: number, sinkUrl: string): Promise<readonly LoadTenant[]> {
  const config = configFrom(cluster.environment);
  const rpcUrl = cluster.environment['CHAIN_RPC_URLS']!;
  const slugs = Array.from({ length: count }, (_, i) => `load-${i}`);
  const wallets = slugs.map((slug) => new Wallet(keccakOf(`key of ${slug}`)));
  const registry = await asOperator(config, async (app) => {
    await mapYielding(slugs, 4, (slug, i) => makeTenant(app, slug, wallets[i]!.address));
    return ensureRegistry(app, rpcUrl, config.chain.chainId, () => undefined);
  });
  const chain = { rpc: new Rpc(rpcUrl), owner: new Sender(rpcUrl, operatorWallet()), registry, chainId: config.chain.chainId };
  for (const slug of slugs) await createContract(chain, slug);
  const outfitted = await mapYielding(slugs, 8, (slug, i) =>
    outfit(cluster.baseUrls[i % cluster.baseUrls.length]!, chain, slug, wallets[i]!, sinkUrl),
  );
  return mapYielding(outfitted, 4, async ({ api, ...tenant }) => ({ ...tenant, lots: await lotsOf(tenant.slug, api) }));
}

const lotsOf = (slug: string, api: TraceabilityClient): Promise<readonly number[]> =>
  eventually(
    `the lots of ${slug}`,
    async () => {
      const page = await api.lots.list({ limit: LOTS });
      return page.total === LOTS ? page.data.map(({ tokenId }) => tokenId) : undefined;
    },
    SELDOM,
  );

async function makeTenant(app: INestApplicationContext, slug: string, wallet: string): Promise<void> {
  const { id } = await app.get(CreateTenant).create({ slug, name: slug, environment: 'sandbox' });
  const { id: orgId } = await app.get(CreateOrganisation).create(id, { name: `Company of ${slug}` });
  const { id: userId } = await app.get(CreateUser).create({ email: `company@${slug}.example`, name: slug, password: PASSWORD });
  await app.get(AddMember).add(id, userId, { roles: ['TENANT_ADMIN', 'OPERATOR'], orgId, wallet });
}

interface Chain {
  readonly rpc: Rpc;
  /** Of the registry, and of every contract: one sender counts the nonces of all of it. */
  readonly owner: Sender;
  readonly registry: string;
  readonly chainId: number;
}

const createContract = ({ owner, registry, chainId }: Chain, slug: string): Promise<string> =>
  owner.send({
    to: registry,
    data: callData(tenantRegistryAbi, 'createTenant', [keccakOf(slug), slug, owner.address]),
    gasEstimate: GAS.createTenant,
    chainId,
  });

type Outfitted = Omit<LoadTenant, 'lots'> & { readonly api: TraceabilityClient };

async function outfit(baseUrl: string, chain: Chain, slug: string, wallet: Wallet, sinkUrl: string): Promise<Outfitted> {
  const { accessToken } = await new TraceabilityClient(baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', {
    email: `company@${slug}.example`,
    password: PASSWORD,
    tenantId: slug,
  });
  const api = new TraceabilityClient(baseUrl, { accessToken });
  const contract = await eventually(
    `the contract of ${slug}`,
    async () => (await api.get<{ contract?: string }>('/api/v1/chain')).contract,
  );
  await chain.rpc.call('anvil_setBalance', [wallet.address, POCKET_MONEY]);
  const grant = callData(tenantLotsAbi, 'setRoles', [wallet.address, OPERATOR_ALL]);
  await chain.owner.sendAndWait({ to: contract, data: grant, gasEstimate: GAS.setRoles, chainId: chain.chainId });
  await api.post('/api/v1/process-maps', readTemplate('rice'));
  await api.webhooks.create(`${sinkUrl}/${slug}`, ['event.recorded']);
  const sender = new Sender(chain.rpc.url, wallet);
  const { data } = await api.events.prepareBatch(Array.from({ length: LOTS }, (_, i) => freshHarvest(i)));
  const prepared = data.map(({ event, problem }) => event ?? refused(problem));
  for (const { preparedTx } of prepared) await sender.send(preparedTx);
  return { slug, accessToken, sender, api, events: prepared.map(({ eventId }) => eventId) };
}

function refused(problem: object | null): PreparedEvent {
  throw new Error(`a harvest was refused: ${JSON.stringify(problem)}`);
}

/** At most so many at once. */
async function mapYielding<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, i: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i]!, i);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
