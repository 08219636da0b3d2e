import { Interface, Wallet } from 'ethers';
import type { TraceabilityClient } from '#client';
import { tenantLotsAbi } from '#contracts';
import { type Hex, ZERO_BYTES32, keccakOf } from '#kernel';

import { Company } from '../../apps/cli/src/demo/company.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import type { World } from '../harness/world.js';

export type Json = Record<string, any>;
export interface Goods {
  readonly tokenId: number;
  readonly tlc: string;
}

const lotsInterface = new Interface(tenantLotsAbi);
const ALL = (1n << 256n) - 1n;

/** Why a request was refused: the codes of its errors, else status and code; `taken` for an accepted request. */
export const codeOf = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'taken',
    (problem: { status: number; code: string; body: Json }) =>
      problem.body['errors']
        ? (problem.body['errors'] as Json[]).map(({ code }) => code as string).join()
        : `${problem.status} ${problem.code}`,
  );

/** A tenant's administrator with the wallet. */
export function administrator(world: World, slug: string): Promise<Company> {
  const tenant = world.tenant(slug);
  const { address } = new Wallet(tenant.admin.privateKey);
  const [anyone] = Object.values(tenant.actors);
  return Company.join(world.demo, { ...tenant, actors: { admin: { ...tenant.admin, address, orgId: anyone!.orgId } } }, 'admin', 'admin');
}

/** The companies of the demo's rice chain, with new goods of their own. */
export class RiceTrade {
  private codes = 0;

  private constructor(
    readonly world: World,
    readonly admin: Company,
    readonly farmA: Company,
    readonly farmB: Company,
    readonly mill: Company,
    readonly dist: Company,
    readonly contract: string,
  ) {}

  static async of(world: World): Promise<RiceTrade> {
    const people = await Promise.all(['farmA', 'farmB', 'mill', 'dist'].map((key) => world.company('rice', key)));
    const [farmA, farmB, mill, dist] = people as [Company, Company, Company, Company];
    const admin = await administrator(world, 'rice');
    const chain = await admin.api.get<{ contract: string }>('/api/v1/chain');
    return new RiceTrade(world, admin, farmA, farmB, mill, dist, chain.contract);
  }

  get api(): TraceabilityClient {
    return this.admin.api;
  }

  metadataOf(processType: string): Json {
    const stages = readScenario('rice').steps as unknown as { processType?: string; metadata: Json }[];
    return { ...stages.find((stage) => stage.processType === processType)!.metadata };
  }

  stageOf(tlc: string): Json {
    return (readScenario('rice').steps as unknown as Json[]).find(({ outputTlc }) => outputTlc === tlc)!;
  }

  tokenOf = async (tlc: string): Promise<number> => Number((await this.api.lots.byTlc(tlc)).tokenId);
  lot = (tokenId: number): Promise<Json> => this.api.get(`/api/v1/nfts/${tokenId}`);
  custody = (company: Company, body: object): Promise<Json> => company.api.post<Json>('/api/v1/custody/prepare', body);
  event = (company: Company, body: object): Promise<Json> => company.api.post<Json>('/api/v1/events/prepare', body);
  call = (company: Company, body: object): Promise<Json> =>
    company.api.post<Json>('/api/v1/tx/prepare', { processId: ZERO_BYTES32, metadata: {}, ...body });
  recall = (company: Company, tokenId: number, body: object): Promise<Json> =>
    company.api.post<Json>(`/api/v1/nfts/${tokenId}/recall/prepare`, body);

  async land(company: Company, prepared: Promise<Json> | Json): Promise<Json> {
    const answer = await prepared;
    await company.land(answer['preparedTx'], 'test');
    return answer;
  }

  /** Eight tonnes of paddy at farm A. */
  async harvest(): Promise<Goods> {
    const tlc = `RH-20261101-T${++this.codes}`;
    await this.land(
      this.farmA,
      this.event(this.farmA, { processType: 'RICE_HARVESTING', outputTlc: tlc, metadata: this.metadataOf('RICE_HARVESTING') }),
    );
    return { tokenId: await this.tokenOf(tlc), tlc };
  }

  async handOver(tokenIds: readonly number[], from = this.farmA, to = this.mill): Promise<void> {
    await this.land(from, this.custody(from, { tokenIds, to: to.address }));
    await this.land(to, this.custody(to, { action: 'accept', tokenIds }));
  }

  /** The mill dries all of the paddy that it holds. */
  dry(inputs: readonly Goods[]): Promise<Json> {
    const metadata = this.metadataOf('RICE_DRYING');
    metadata['inputs'] = inputs.map(({ tlc }) => ({ tlc, quantity: { value: 8000, uom: 'KGM' } }));
    metadata['quantity'] = { value: 7000 * inputs.length, uom: 'KGM' };
    metadata['losses'] = [{ kind: 'moisture', quantity: { value: 1000 * inputs.length, uom: 'KGM' } }];
    return this.event(this.mill, {
      processType: 'RICE_DRYING',
      inputTokenIds: inputs.map(({ tokenId }) => tokenId),
      outputTlc: `RD-20261102-T${++this.codes}`,
      metadata,
    });
  }

  /** Dried paddy, which the mill made from a new harvest. */
  async dried(): Promise<{ readonly from: Goods; readonly lot: Goods }> {
    const from = await this.harvest();
    await this.handOver([from.tokenId]);
    const { outputTlc: tlc } = await this.land(this.mill, this.dry([from]));
    return { from, lot: { tokenId: await this.tokenOf(tlc as string), tlc: tlc as string } };
  }

  /** One tonne of dried paddy becomes 650 kg of rice and 150 kg of broken rice. */
  milling({ tokenId, tlc }: Goods): Json {
    const code = `RM-20261103-T${++this.codes}`;
    return {
      processType: 'RICE_MILLING',
      inputTokenIds: [tokenId],
      outputTlc: code,
      metadata: {
        ...this.metadataOf('RICE_MILLING'),
        inputs: [{ tlc, quantity: { value: 1000, uom: 'KGM' } }],
        quantity: { value: 650, uom: 'KGM' },
        coProducts: [{ assetType: 'RICE_BROKEN', tlc: `${code}B`, quantity: { value: 150, uom: 'KGM' } }],
        losses: [{ kind: 'process', quantity: { value: 200, uom: 'KGM' } }],
      },
    };
  }

  /** Half a tonne of milled rice becomes a hundred bags. */
  packing({ tokenId, tlc }: Goods, outputTlc: string, bestBefore: string): Json {
    const metadata = {
      ...this.metadataOf('RICE_PACKING'),
      inputs: [{ tlc, quantity: { value: 500, uom: 'KGM' } }],
      quantity: { value: 100, uom: 'H87' },
      losses: [],
      bestBefore,
    };
    return { processType: 'RICE_PACKING', inputTokenIds: [tokenId], outputTlc, metadata };
  }

  /**
   * The mill sends an event to the contract without the service: lots without a mass, with unknown codes.
   * @param mode 0 uses the inputs wholly, 1 packs them into one container
   */
  async send(inputs: readonly number[], outputs: number, mode = 0): Promise<string> {
    const name = `sent ${++this.codes}`;
    const data = lotsInterface.encodeFunctionData('recordEvent', [
      keccakOf(name),
      keccakOf('RICE_PACKING'),
      inputs,
      mode === 0 ? inputs.map(() => ALL) : [],
      Array.from({ length: outputs }, (_, i) => [keccakOf(`${name} ${i}`), keccakOf('SOMETHING'), this.mill.address, 0, 0]),
      mode,
      ZERO_BYTES32,
    ]) as Hex;
    return this.mill.sender.send({ to: this.contract, data, gasEstimate: 13_000_000, chainId: 31_337 });
  }

  /** The same, and waits until it is indexed. @returns the token ids that it minted */
  async make(inputs: readonly number[], outputs: number, mode = 0): Promise<number[]> {
    const made = await this.made(await this.send(inputs, outputs, mode));
    await this.known(made.at(-1)!);
    return made;
  }

  /** The lots that an event minted, read from its receipt. */
  async made(txHash: string): Promise<number[]> {
    const { logs } = (await this.mill.sender.receipt(txHash)) as unknown as { logs: { topics: string[]; data: string }[] };
    return logs.flatMap((log) => {
      const parsed = lotsInterface.parseLog(log);
      return parsed?.name === 'LotMinted' ? [Number(parsed.args['tokenId'])] : [];
    });
  }

  /** Waits until the lot is indexed and final: only then can it be used. */
  known = (tokenId: number): Promise<Json> =>
    eventually(
      `lot ${tokenId}, indexed and final`,
      async () => {
        const lot = await this.lot(tokenId).catch(() => null);
        return lot?.['confirmed'] === true && lot;
      },
      { everyMs: 50 },
    );
}
