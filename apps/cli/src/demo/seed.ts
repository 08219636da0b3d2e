import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { type Json, Rpc, Sender, TraceabilityClient } from '#client';
import type { Config } from '#config';
import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { AddMember, CreateOrganisation, CreateTenant, CreateUser, IdentitySettings } from '#identity';
import { keccakOf } from '#kernel';
import { signerOf } from '#transactions';
import { Deployments } from '#chain';
import { callData, estimated } from './contract-call.js';
import { type DemoActor, type DemoFile, type DemoTenant, walletsOf, writeDemoFile } from './demo-file.js';
import { deployAccountFactory, deployContracts } from './deploy-contracts.js';
import { type DevWallet, demoWallet, operatorWallet } from './dev-wallets.js';
import { ensurePasskeyMember, isWithoutWallet, passwordOf } from './passkey-member.js';
import { SCENARIOS, type Scenario, readScenario } from './scenario.js';
import { asOperator } from '../operator.js';
import { readTemplate } from './templates.js';

const OPERATOR_ALL = 2n;
/** Enough for tens of thousands of transactions. Sent as plain transfers, so that the block log has them too. */
const INITIAL_BALANCE = 100n * 10n ** 18n;

interface Seeding {
  readonly app: INestApplicationContext;
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly registry: string;
  readonly passkeys: IdentitySettings['passkeys'];
  /** 32 bytes, the same at every seed of this service. */
  readonly secretOf: (what: string) => Buffer;
  readonly say: (line: string) => void;
}

/**
 * Creates the demo tenants as a client of the service: contracts and grants are signed here, with the publicly known keys of
 * a local chain. Everything is created only when it is missing, so that an interrupted seed can continue.
 */
export async function seedDemo(
  given: Config,
  urls: { readonly baseUrl: string; readonly rpcUrl: string },
  say: (line: string) => void,
): Promise<void> {
  await asOperator(given, async (app, config) => {
    const { chainId } = config.chain;
    const registry = await ensureRegistry(app, urls.rpcUrl, chainId, say);
    const secretOf = (what: string): Buffer => createHmac('sha256', config.secrets.encryptionKey!).update(what).digest();
    const { passkeys } = app.get(IdentitySettings);
    const seeding: Seeding = { app, ...urls, chainId, registry, passkeys, secretOf, say };
    // Before the passkey that makes an account.
    await ensureAccountFactory(app, urls.rpcUrl, chainId, say);
    await fundSponsor(config, urls.rpcUrl);
    const tenants: DemoTenant[] = [];
    let wallets = 0;
    for (const name of SCENARIOS) {
      const scenario = readScenario(name);
      const people = ['admin', ...Object.keys(scenario.actors)].map((key) => ({ key, wallet: demoWallet(wallets++) }));
      tenants.push(
        await seedTenant(seeding, { slug: scenario.map, name: `Demo ${scenario.map}`, environment: 'production' }, scenario, people),
      );
    }
    writeDemoFile(config.dataDir, { ...urls, origin: passkeys.origins[0] ?? null, chainId, tenants });
  });
}

/** One tenant more, with the people of a scenario and wallets that no tenant of the demo has. */
export async function seedSandbox(
  app: INestApplicationContext,
  config: Config,
  demo: DemoFile,
  { slug, scenario: name }: { readonly slug: string; readonly scenario: string },
  say: (line: string) => void,
): Promise<DemoTenant> {
  const { chainId } = config.chain;
  const registry = await ensureRegistry(app, demo.rpcUrl, chainId, say);
  const secretOf = (what: string): Buffer => createHmac('sha256', config.secrets.encryptionKey!).update(what).digest();
  const { passkeys } = app.get(IdentitySettings);
  const seeding: Seeding = { app, ...demo, chainId, registry, passkeys, secretOf, say };
  const scenario = readScenario(name);
  const taken = walletsOf(demo);
  const people = ['admin', ...Object.keys(scenario.actors)].map((key, index) => ({ key, wallet: demoWallet(taken + index) }));
  const seeded = await seedTenant(seeding, { slug, name: `Sandbox ${slug}`, environment: 'sandbox' }, scenario, people);
  return { ...seeded, scenario: name };
}

/** A registry that the service has recorded and that has code on this chain. */
export async function ensureRegistry(
  app: INestApplicationContext,
  rpcUrl: string,
  chainId: number,
  say: (line: string) => void,
): Promise<string> {
  const deployments = app.get(Deployments);
  const known = await deployments.registry();
  if (known && (await new Rpc(rpcUrl).call<string>('eth_getCode', [known, 'latest'])) !== '0x') return known;
  say('Deploying the contracts');
  const registry = await deployContracts(rpcUrl, chainId, operatorWallet());
  await deployments.record(registry);
  return registry;
}

/** A factory of passkey accounts that the service has recorded and that has code on this chain. */
export async function ensureAccountFactory(
  app: INestApplicationContext,
  rpcUrl: string,
  chainId: number,
  say: (line: string) => void,
): Promise<string> {
  const deployments = app.get(Deployments);
  const known = await deployments.accountFactory();
  if (known && (await new Rpc(rpcUrl).call<string>('eth_getCode', [known, 'latest'])) !== '0x') return known;
  say('Deploying the factory of passkey accounts');
  const factory = await deployAccountFactory(rpcUrl, chainId, operatorWallet());
  await deployments.recordAccountFactory(factory);
  return factory;
}

interface NewDemoTenant {
  readonly slug: string;
  readonly name: string;
  readonly environment: 'production' | 'sandbox';
}

interface Person {
  readonly key: string;
  readonly wallet: DevWallet;
}

async function seedTenant(seeding: Seeding, tenant: NewDemoTenant, scenario: Scenario, people: readonly Person[]): Promise<DemoTenant> {
  const { app, say } = seeding;
  const { slug } = tenant;
  say(`Tenant ${slug}: ${people.length - 1} companies`);
  const { id: tenantId } = await ensureTenant(app, tenant);
  const [adminPerson, ...companies] = people as [Person, ...Person[]];
  await fundWallets(
    seeding,
    people.filter(({ key }) => !isWithoutWallet(seeding, slug, key)),
  );
  const admin = await ensureMember(
    seeding,
    tenantId,
    { email: `admin@${slug}.example`, name: `${slug} administrator` },
    { roles: ['TENANT_ADMIN'], wallet: adminPerson.wallet, orgId: null },
  );
  const actors: Record<string, DemoActor> = {};
  for (const { key, wallet } of companies) {
    const company = scenario.actors[key]!;
    const orgId = (await ensureOrganisation(app, tenantId, company)).id;
    const person = { email: `${key.toLowerCase()}@${slug}.example`, name: `${company} operator` };
    actors[key] = isWithoutWallet(seeding, slug, key)
      ? { ...(await ensurePasskeyMember(seeding, { tenantId, slug, orgId }, person)), orgId }
      : { ...(await ensureMember(seeding, tenantId, person, { roles: ['OPERATOR'], wallet, orgId })), address: wallet.address, orgId };
  }
  const api = await TraceabilityClient.login(seeding.baseUrl, admin.email, admin.password, slug);
  const contract = await ensureContract(seeding, api, slug, adminPerson.wallet);
  await grantRoles(seeding, contract, adminPerson.wallet, Object.values(actors));
  await api.post('/api/v1/process-maps', readTemplate(scenario.map));
  return { slug, contract, admin, actors };
}

async function ensureTenant(app: INestApplicationContext, tenant: NewDemoTenant): Promise<{ id: string }> {
  const tenants = app.get(CreateTenant);
  return (await tenants.find(tenant.slug)) ?? tenants.create(tenant);
}

async function ensureOrganisation(app: INestApplicationContext, tenantId: string, name: string): Promise<{ id: string }> {
  const organisations = app.get(CreateOrganisation);
  return (await organisations.find(tenantId, name)) ?? organisations.create(tenantId, { name });
}

async function ensureMember(
  { app, secretOf }: Seeding,
  tenantId: string,
  { email, name }: { readonly email: string; readonly name: string },
  grants: { readonly roles: readonly ('OPERATOR' | 'TENANT_ADMIN')[]; readonly wallet: DevWallet; readonly orgId: string | null },
): Promise<{ email: string; password: string; privateKey: string }> {
  const users = app.get(CreateUser);
  const password = passwordOf(secretOf, email);
  const user = (await users.find(email)) ?? (await users.create({ email, name, password }));
  await app.get(AddMember).add(tenantId, user.id, { ...grants, wallet: grants.wallet.address });
  return { email, password, privateKey: grants.wallet.privateKey };
}

async function fundWallets({ rpcUrl, chainId }: Seeding, people: readonly Person[]): Promise<void> {
  const sender = new Sender(rpcUrl, operatorWallet());
  for (const { wallet } of people) await fund(sender, rpcUrl, chainId, wallet.address);
}

async function fund(sender: Sender, rpcUrl: string, chainId: number, to: string): Promise<void> {
  const balance = BigInt(await new Rpc(rpcUrl).call<string>('eth_getBalance', [to, 'latest']));
  if (balance < INITIAL_BALANCE / 2n) await sender.sendAndWait({ to, data: '0x', gasEstimate: 21_000, chainId, value: INITIAL_BALANCE });
}

/** The sponsor of a local chain is paid by its dev account. */
async function fundSponsor({ sponsor, chain }: Config, rpcUrl: string): Promise<void> {
  const address = await signerOf(sponsor.signer)?.address();
  if (address) await fund(new Sender(rpcUrl, operatorWallet()), rpcUrl, chain.chainId, address);
}

/** The registry creates the contract; the service reads it from the chain. */
async function ensureContract(
  { rpcUrl, chainId, registry }: Seeding,
  api: TraceabilityClient,
  slug: string,
  admin: DevWallet,
): Promise<string> {
  const contractOf = async (): Promise<string | null> => ((await api.get<Json>('/api/v1/chain')).contract as string | null) ?? null;
  const known = await contractOf();
  if (known) return known;
  const operator = new Sender(rpcUrl, operatorWallet());
  const create = callData(tenantRegistryAbi, 'createTenant', [keccakOf(slug), `Demo ${slug}`, admin.address]);
  const call = await estimated(new Rpc(rpcUrl), chainId, operator.address, registry, create).catch((error: Error) => {
    // Created by a seed that was killed before the service had read it.
    if (!error.message.includes('revert')) throw error;
  });
  if (call) await operator.sendAndWait(call);
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(50)) {
    const contract = await contractOf();
    if (contract) return contract;
  }
  throw new Error(`The service did not see the contract of ${slug} within 60 s.`);
}

async function grantRoles(
  { rpcUrl, chainId }: Seeding,
  contract: string,
  admin: DevWallet,
  companies: readonly Pick<DemoActor, 'address'>[],
): Promise<void> {
  const rpc = new Rpc(rpcUrl);
  const sender = new Sender(rpcUrl, admin);
  for (const { address } of companies)
    await sender.sendAndWait(
      await estimated(rpc, chainId, admin.address, contract, callData(tenantLotsAbi, 'setRoles', [address, OPERATOR_ALL])),
    );
}
