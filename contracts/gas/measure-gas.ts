import { JsonRpcProvider, ZeroHash, id } from 'ethers';
import { hardfork, startAnvil } from './anvil.js';
import type { Measurement } from './measurement.js';
import { passkeys, withoutPrecompile } from './passkeys.js';
import { ALL, OPERATOR, OPERATOR_ALL, TenantContract, noEvent } from './tenant-contract.js';

interface People {
  readonly admin: string;
  readonly farm: string;
  readonly mill: string;
  readonly scoped: string;
  readonly strangers: readonly string[];
}

/** Runs every operation of the gas table on a fresh local chain. The same contract gives the same numbers on every machine. */
export async function measureGas(): Promise<Measurement[]> {
  return [...(await onChain(hardfork, everything)), ...(await onChain('prague', onAnOlderChain))];
}

type Run = (tenant: TenantContract, people: People, provider: JsonRpcProvider) => Promise<Measurement[]>;

async function onChain(rules: string, run: Run): Promise<Measurement[]> {
  const chain = await startAnvil(rules);
  const provider = new JsonRpcProvider(chain.url, undefined, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 });
  try {
    const tenant = await TenantContract.create(provider);
    return await run(tenant, await introduce(tenant), provider);
  } finally {
    provider.destroy();
    await chain.stop();
  }
}

const onAnOlderChain: Run = async (tenant, { farm, strangers }, provider) =>
  withoutPrecompile(await passkeys(tenant, provider, farm, strangers[3] ?? ''));

const everything: Run = async (tenant, people, provider) => [
  { operation: 'deploy TenantLots', gas: tenant.deployment.lots },
  { operation: 'deploy TenantRegistry', gas: tenant.deployment.registry },
  { operation: 'new tenant', gas: tenant.deployment.tenant },
  ...(await minting(tenant, people)),
  ...(await transforming(tenant, people)),
  ...(await containing(tenant, people)),
  ...(await handingOver(tenant, people)),
  ...(await recallingAndRetiring(tenant, people)),
  ...(await correcting(tenant, people)),
  ...(await passkeys(tenant, provider, people.farm, people.strangers[3] ?? '')),
  ...(await administering(tenant, people)),
];

/** Two operators that have held lots before, so that no first appearance hides in a figure. */
async function introduce(tenant: TenantContract): Promise<People> {
  const [admin = '', farm = '', mill = '', scoped = '', ...strangers] = tenant.accounts;
  for (const operator of [farm, mill]) {
    await tenant.send(admin, 'setRoles', [operator, OPERATOR_ALL]);
    await tenant.mint(operator, 1);
  }
  return { admin, farm, mill, scoped, strangers };
}

async function minting(tenant: TenantContract, { farm, strangers }: People): Promise<Measurement[]> {
  const mint = async (count: number, custodian: string) => (await tenant.record(farm, [], [], tenant.outputs(count, custodian))).gas;
  const one = await mint(1, farm);
  const many: Measurement[] = [];
  for (const count of [10, 100, 200]) {
    const gas = await mint(count, farm);
    many.push({ operation: `mint ${count}`, gas, perLot: Math.round((gas - one) / (count - 1)) });
  }
  const toStranger = await mint(1, strangers[0] ?? '');
  return [{ operation: 'mint 1', gas: one }, ...many, { operation: 'mint 1 to a custodian never seen', gas: toStranger }];
}

async function transforming(tenant: TenantContract, { farm }: People): Promise<Measurement[]> {
  const transform = async (inputs: number, each: bigint, outputs: number) => {
    const ids = await mintMany(tenant, farm, inputs);
    const { gas } = await tenant.record(
      farm,
      ids,
      Array.from(ids, () => each),
      tenant.outputs(outputs, farm),
    );
    return gas;
  };
  return [
    { operation: 'transform 10 to 1, all of each', gas: await transform(10, ALL, 1) },
    { operation: 'transform 10 to 1, all of each by its number', gas: await transform(10, 1_000_000_000n, 1) },
    { operation: 'transform 10 to 1, a part of each', gas: await transform(10, 400_000_000n, 1) },
    { operation: 'transform 500 to 1', gas: await transform(500, ALL, 1) },
    { operation: 'transform 500 to 200', gas: await transform(500, ALL, 200) },
    { operation: 'split 1 to 10', gas: await transform(1, ALL, 10) },
    { operation: 'observe 1', gas: await transform(1, 0n, 0) },
  ];
}

async function mintMany(tenant: TenantContract, custodian: string, count: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  while (ids.length < count) {
    ids.push(...(await tenant.mint(custodian, Math.min(count - ids.length, 200))));
  }
  return ids;
}

async function containing(tenant: TenantContract, { farm, mill }: People): Promise<Measurement[]> {
  const packed = async (count: number) => tenant.pack(farm, await mintMany(tenant, farm, count));
  const unpacked = async (count: number) => {
    const ids = await mintMany(tenant, farm, count);
    const { container } = await tenant.pack(farm, ids);
    return { ids, gas: await tenant.unpack(farm, container) };
  };
  const fifty = await unpacked(50);
  const settled = await tenant.send(farm, 'settle', [fifty.ids]);
  const ten = await unpacked(10);
  const used = await tenant.record(
    farm,
    ten.ids,
    Array.from(ten.ids, () => ALL),
    tenant.outputs(1, farm),
  );
  const forty = await unpacked(40);
  return [
    { operation: 'aggregate 1', gas: (await packed(1)).gas },
    { operation: 'aggregate 10', gas: (await packed(10)).gas },
    { operation: 'aggregate 50', gas: (await packed(50)).gas },
    { operation: 'disaggregate 50', gas: fifty.gas },
    { operation: 'settle those 50 at once (optional)', gas: settled },
    { operation: 'transform 10 unsettled lots to 1', gas: used.gas },
    { operation: 'offer 40 unsettled lots', gas: (await tenant.offer(farm, forty.ids, mill)).gas },
  ];
}

async function handingOver(tenant: TenantContract, { farm, mill, strangers }: People): Promise<Measurement[]> {
  const handOver = async (ids: readonly bigint[]) => {
    const { gas: offered, offerNo } = await tenant.offer(farm, ids, mill);
    const accepted = await tenant.accept(mill, offerNo, ids);
    return { offered, accepted, both: offered + accepted };
  };
  const batches: Measurement[] = [];
  for (const count of [1, 10, 100]) {
    const { offered, accepted, both } = await handOver(await mintMany(tenant, farm, count));
    batches.push(
      { operation: `offer ${count}`, gas: offered },
      { operation: `accept ${count}`, gas: accepted },
      { operation: `offer and accept ${count}`, gas: both, perLot: Math.round(both / count) },
    );
  }
  const { container } = await tenant.pack(farm, await mintMany(tenant, farm, 50));
  batches.push({ operation: 'offer and accept a container of 50', gas: (await handOver([container])).both });
  for (const count of [1, 100]) {
    const ids = await mintMany(tenant, farm, count);
    const first = await tenant.offer(farm, ids, mill);
    batches.push({ operation: `reject ${count}`, gas: await tenant.send(mill, 'rejectCustody', [first.offerNo, ids, ZeroHash]) });
    const second = await tenant.offer(farm, ids, mill);
    batches.push({ operation: `cancel ${count}`, gas: await tenant.send(farm, 'cancelCustody', [second.offerNo, ids, ZeroHash]) });
  }
  return [...batches, ...(await handingOverParts(tenant, farm, mill)), ...(await handingOverOne(tenant, farm, mill, strangers[1] ?? ''))];
}

async function handingOverParts(tenant: TenantContract, farm: string, mill: string): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const count of [1, 10, 100]) {
    const offered = await tenant.offerParts(farm, await mintMany(tenant, farm, count), 400_000_000n, mill);
    const accepted = await tenant.accept(mill, offered.offerNo, offered.parts);
    const both = offered.gas + accepted;
    const ids = await mintMany(tenant, farm, count);
    const { offerNo } = await tenant.offer(farm, ids, mill);
    rows.push(
      { operation: `offer a part of ${count}`, gas: offered.gas },
      { operation: `offer and accept a part of ${count}`, gas: both, perLot: Math.round(both / count) },
      { operation: `accept ${count} with a shortage`, gas: await tenant.acceptParts(mill, offerNo, ids, 900_000_000n) },
    );
  }
  return rows;
}

async function handingOverOne(tenant: TenantContract, farm: string, mill: string, stranger: string): Promise<Measurement[]> {
  const withEvent = await tenant.mint(farm, 1);
  const offered = await tenant.offer(farm, withEvent, mill, tenant.event());
  const accepted = await tenant.accept(mill, offered.offerNo, withEvent, tenant.event());
  const toStranger = await tenant.offer(farm, await tenant.mint(farm, 1), stranger);
  await tenant.send(mill, 'setDirectReceipt', [true]);
  const [direct] = await tenant.mint(farm, 1);
  return [
    { operation: 'offer 1 with event', gas: offered.gas },
    { operation: 'accept 1 with event', gas: accepted },
    { operation: 'offer 1 to a custodian never seen', gas: toStranger.gas },
    { operation: 'transferFrom to a receiver who allowed it', gas: await tenant.send(farm, 'transferFrom', [farm, mill, direct]) },
  ];
}

async function recallingAndRetiring(tenant: TenantContract, { admin, farm }: People): Promise<Measurement[]> {
  const why = id('reason');
  const [single] = await tenant.mint(farm, 1);
  const recalled = await tenant.send(admin, 'recall', [single, why]);
  const recalledMany = await tenant.send(admin, 'recallMany', [await mintMany(tenant, farm, 100), why]);
  const retire = async (count: number, event: unknown) => {
    const ids = await mintMany(tenant, farm, count);
    return tenant.send(farm, 'retire', [ids, Array.from(ids, () => ALL), 2, event]);
  };
  return [
    { operation: 'recall 1', gas: recalled },
    { operation: 'recallMany 100', gas: recalledMany, perLot: Math.round(recalledMany / 100) },
    { operation: 'retire 1', gas: await retire(1, noEvent) },
    { operation: 'retire 10', gas: await retire(10, noEvent) },
    { operation: 'retire 100', gas: await retire(100, noEvent) },
    { operation: 'retire 1 with event (disposal)', gas: await retire(1, tenant.event()) },
  ];
}

async function correcting(tenant: TenantContract, { farm }: People): Promise<Measurement[]> {
  const ids = await tenant.mint(farm, 10);
  const taken = Array.from(ids, () => 400_000_000n);
  const outputs = tenant.outputs(1, farm);
  const { header } = await tenant.record(farm, ids, taken, outputs);
  const voided = await tenant.send(farm, 'voidEvent', [header, ids, taken, outputs, id('reason')]);
  const amended = await tenant.send(farm, 'amendEvent', [header.eventId, tenant.event()]);
  return [
    { operation: 'void a transformation 10 to 1', gas: voided },
    { operation: 'amend', gas: amended },
  ];
}

async function administering(tenant: TenantContract, { admin, scoped }: People): Promise<Measurement[]> {
  const scope = async (processes: readonly string[]) => tenant.send(admin, 'setProcessScope', [scoped, processes, true]);
  const granted = await tenant.send(admin, 'setRoles', [scoped, OPERATOR]);
  const one = await scope([id('process')]);
  const ten = await scope(Array.from({ length: 10 }, (_, index) => id(`process ${index}`)));
  await tenant.mint(scoped, 1);
  const minted = await tenant.record(scoped, [], [], tenant.outputs(1, scoped));
  const inAnHour = Math.floor(Date.now() / 1000) + 3600;
  return [
    { operation: 'setRoles of a new account', gas: granted },
    { operation: 'setProcessScope 1', gas: one },
    { operation: 'setProcessScope 10 more', gas: ten },
    { operation: 'mint 1 by a scoped operator', gas: minted.gas },
    { operation: 'pause', gas: await tenant.send(admin, 'pause', [inAnHour]) },
  ];
}
