import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { decodeLog, type ContractLog, type PreparedCall, RpcTransactionPreparer } from '#chain';
import { DemoChain, devWallet, startTestAnvil, type TestAnvil } from '#chain/testing';
import { type Actor, type Hex, newId } from '#kernel';
import { testActor } from '#kernel/testing';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { keysPersistence } from '#sealed-contents';
import { EventPreparation, type EventSubmission, Lots, processMapTemplates, traceabilityPersistence } from '#traceability';
import { PublishProcessMap, EventsModule, OneContract, landingParts, readScenario, type ScenarioStep } from '#traceability/testing';
import { eventually } from '../harness/eventually.js';

const scenarios = ['rice', 'wool'].map((key) =>
  readScenario(new URL(`../../apps/cli/src/demo/scenarios/${key}.scenario.json`, import.meta.url)),
);

/** What is prepared is what the contract takes: the given value chains, signed and sent to a real node. */
describe('prepared events on a chain', () => {
  let anvil: TestAnvil;
  let chain: DemoChain;
  let db: TestDatabase;

  beforeAll(async () => {
    anvil = await startTestAnvil();
    chain = await DemoChain.deploy(anvil.url);
    db = await cloneTestDatabase([traceabilityPersistence, keysPersistence]);
  });
  afterAll(async () => {
    await db.drop();
    chain.close();
    await anvil.stop();
  });

  describe.each(scenarios.map((scenario) => [scenario.map, scenario] as const))('the %s value chain', (slug, scenario) => {
    const tenantId = newId();
    const wallets = new Map(Object.keys(scenario.actors).map((name, i) => [name, devWallet(i + 2)]));
    const { content, handler, parties } = landingParts(slug);
    let contract: string;
    let app: INestApplicationContext;
    let preparer: RpcTransactionPreparer;
    let actor: Actor;

    beforeAll(async () => {
      contract = await chain.createTenant(slug);
      for (const wallet of wallets.values()) await chain.call(devWallet(1), contract, 'setRoles', [wallet.address, 2]);
      preparer = new RpcTransactionPreparer(chain.rpc, chain.chainId);
      app = await NestFactory.createApplicationContext(
        EventsModule.of({
          unitOfWork: db.unitOfWork,
          parties,
          tenants: new OneContract(slug, contract),
          contents: content,
          chain: preparer,
          actor: () => actor,
          finalBlock: () => 1_000_000,
          now: () => new Date(),
        }),
        { logger: false },
      );
      await app.get(PublishProcessMap).publish(
        { tenantId, kind: 'user', id: 'admin' },
        processMapTemplates.find((map) => map.key === slug),
      );
    });
    beforeEach(() => expect(contract).toMatch(/^0x/));
    afterAll(() => app.close());

    const walletOf = (name: string) => wallets.get(name)!;
    const as = (name: string): Actor => {
      const wallet = walletOf(name).address;
      return testActor(['OPERATOR'], { id: name, tenantId, tenantSlug: slug, wallet, wallets: [wallet] });
    };
    const tokens = async (tlcs: readonly string[]): Promise<bigint[]> => {
      const rows = await db.unitOfWork.inTransaction({ tenantId }, (tx) =>
        tx.sql<{ tlc: string; token_id: string }>(
          'select tlc, token_id from traceability.lot where tlc = any($1::text[]) and to_block is null',
          [tlcs],
        ),
      );
      return tlcs.map((tlc) => BigInt(rows.find((row) => row.tlc === tlc)!.token_id));
    };

    /** Signs locally, sends, and applies the new blocks. */
    async function land(name: string, { preparedTx }: PreparedCall): Promise<void> {
      const wallet = walletOf(name);
      const raw = await wallet.signTransaction({
        to: preparedTx.to,
        data: preparedTx.data,
        chainId: preparedTx.chainId,
        gasLimit: Math.ceil(preparedTx.gasEstimate * 1.2),
        nonce: Number(await chain.rpc.call<string>('eth_getTransactionCount', [wallet.address, 'latest'])),
        maxFeePerGas: 10_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
        type: 2,
      });
      const hash = await chain.rpc.call<Hex>('eth_sendRawTransaction', [raw]);
      const receipt = await eventually('a receipt', () => chain.rpc.call<any>('eth_getTransactionReceipt', [hash]));
      expect(receipt.status).toBe('0x1');
      const block = { number: Number(receipt.blockNumber), hash: receipt.blockHash as Hex, timestamp: new Date() };
      const logs: ContractLog[] = (receipt.logs as any[]).flatMap((log, txLogIndex) => {
        const decoded = decodeLog(log);
        return decoded ? [{ ...decoded, contract, block, txHash: hash, logIndex: Number(log.logIndex), txLogIndex }] : [];
      });
      await db.unitOfWork.inTransaction({ tenantId }, (tx) => handler.apply(tx, { chainId: chain.chainId, contract, logs }));
    }

    const offer = async (
      tlcs: readonly string[],
      from: string,
      to: string,
      ride?: (call: (ref: object) => Promise<PreparedCall>) => Promise<PreparedCall>,
    ) => {
      const ids = await tokens(tlcs);
      const call = (ref: object) =>
        preparer.prepare({ contract, from: walletOf(from).address, method: 'offerCustody', args: [ids, walletOf(to).address, ref] });
      await land(from, await (ride ?? ((plain) => plain(NO_EVENT)))(call));
    };
    const accept = async (
      tlcs: readonly string[],
      to: string,
      ride?: (call: (ref: object) => Promise<PreparedCall>) => Promise<PreparedCall>,
    ) => {
      const ids = await tokens(tlcs);
      const [lot] = await db.unitOfWork.inTransaction({ tenantId }, (tx) => app.get(Lots).byTokenIds(tx, ids));
      const call = (ref: object) =>
        preparer.prepare({ contract, from: walletOf(to).address, method: 'acceptCustody', args: [lot!.offerNo, ids, ref] });
      await land(to, await (ride ?? ((plain) => plain(NO_EVENT)))(call));
    };

    async function play(stage: ScenarioStep): Promise<void> {
      if (stage.handover) {
        await offer(stage.handover.tlcs, stage.handover.from, stage.handover.to);
        await accept(stage.handover.tlcs, stage.handover.to);
        return;
      }
      const name = stage.actor!;
      actor = as(name);
      const submission: EventSubmission = {
        processType: stage.processType!,
        inputTokenIds: await tokens(stage.inputTlcs!),
        outputTlc: stage.outputTlc ?? null,
        outputCustodian: null,
        metadata: stage.metadata!,
        from: actor.wallet,
      };
      const events = app.get(EventPreparation);
      const ride = (call: (ref: object) => Promise<PreparedCall>) =>
        events.prepareAttached(actor, submission, async (ref) => {
          const args = { tokenIds: submission.inputTokenIds, e: ref };
          return { ...(await call(ref)), method: `${stage.custody!.action}Custody`, args };
        });
      if (stage.custody?.action === 'offer') await offer(stage.inputTlcs!, name, stage.custody.to!, ride);
      else if (stage.custody?.action === 'accept') await accept(stage.inputTlcs!, name, ride);
      else await land(name, await events.prepare(actor, submission));
    }

    it('lands stage by stage as it was prepared', async () => {
      for (const stage of scenario.steps) await play(stage);
      const rows = await db.unitOfWork.inTransaction({ tenantId }, (tx) =>
        tx.sql<{ process_type: string; status: string; calldata_mismatch: boolean; resolved: boolean }>(
          'select process_type, status, calldata_mismatch, resolved from traceability.event order by block_number',
        ),
      );
      expect(rows).toEqual(
        scenario.steps
          .filter((stage) => stage.processType)
          .map((stage) => ({ process_type: stage.processType, status: 'recorded', calldata_mismatch: false, resolved: true })),
      );
    });

    it('keeps the yields and mass balances of the golden result', async () => {
      const rows = await db.unitOfWork.inTransaction({ tenantId }, (tx) =>
        tx.sql<Record<string, string | boolean>>(
          `select process_type as "processType", output_tlc as "outputTlc", input_kg::float as "inputKg", main_output_kg::float as "mainKg",
             co_product_kg::float as "coProductKg", declared_loss_kg::float as "lossKg", gap_ratio::float as gap, yield::float as yield,
             yield_outside as "yieldOutside", balance_outside as "balanceOutside", unmeasured
           from traceability.event_v1 where kind = 'transformation' and counts order by block_number`,
        ),
      );
      const sound = { yieldOutside: false, balanceOutside: false, unmeasured: false };
      expect(rows).toEqual(expectedOf(slug).massBalance.map((golden) => ({ ...golden, ...sound })));
    });
  });
});

const NO_EVENT = { eventId: `0x${'0'.repeat(64)}`, processId: `0x${'0'.repeat(64)}`, dataHash: `0x${'0'.repeat(64)}` };

const expectedOf = (slug: string): { readonly massBalance: readonly object[] } =>
  JSON.parse(readFileSync(new URL(`../harness/expected/${slug}.expected.json`, import.meta.url), 'utf8'));
