import { createHash } from 'node:crypto';
import autocannon from 'autocannon';
import { Body, Controller, HttpCode, Module, Post, type DynamicModule } from '@nestjs/common';
import { JsonRpc } from '#chain';
import { type PreparedTx, TraceabilityClient } from '#client';
import { ContentStorageModule, ContentStore } from '#content-storage';
import { Access, createHttpApp, createLogger } from '#http';
import { newId } from '#kernel';
import { PersistenceModule, UnitOfWork } from '#persistence';
import { join } from 'node:path';
import { readScenario } from '../apps/cli/src/demo/scenario.js';
import { BareBody } from './bare-body.js';
import { createBareTable } from './bare-table.js';
import { withDemoService } from './demo-service.js';
import { type Measurement, type Scenario, median } from './report.js';

const CONNECTIONS = 8;
const SECONDS = 8;
const ROUNDS = 3;

/** The same work without any of our rules: one content write, one gas estimate, one insert of an equally wide row. */
class Bare {
  static call: PreparedTx & { readonly from: string };
}

@Controller('bare')
class BareController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly content: ContentStore,
    private readonly rpc: JsonRpc,
  ) {}

  @Post()
  @HttpCode(200)
  @Access('public')
  async prepare(@Body() body: BareBody): Promise<object> {
    const { from, to, data } = Bare.call;
    const bytes = Buffer.from(JSON.stringify(body));
    // Another calldata each time, as a real request has.
    const fresh = data.slice(0, 10) + createHash('sha256').update(body.outputTlc).digest('hex').slice(0, 32) + data.slice(42);
    const gas = await this.rpc.call<string>('eth_estimateGas', [{ from, to, data: fresh }, 'latest']);
    const { cid } = await this.content.put(bytes);
    await this.unitOfWork.asSystem((tx) =>
      tx.sql('insert into bare (id, cid, body) values ($1, $2, $3)', [newId(), cid, bytes.toString()]),
    );
    return { gas, cid };
  }
}

@Module({})
class BareModule {}

export const scenario: Scenario = {
  name: 'prepare',
  about:
    '`POST /api/v1/events/prepare` compared with a bare route on the same HTTP stack (Nest, Fastify, body validation) that does the same one insert, one content write and one gas estimate, on the same embedded PostgreSQL, EVM node and file store. Rounds alternate; the ratio is of the medians.',
  run: (say) =>
    withDemoService('prepare', async ({ folder, config, service, tenant }): Promise<readonly Measurement[]> => {
      const { engines } = service;
      const { email, password, address } = tenant.actors.farmA!;
      const login = await new TraceabilityClient(service.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', { email, password });
      const harvest = readScenario('rice').steps[0] as { processType: string; metadata: object };
      const farm = new TraceabilityClient(service.baseUrl, login);
      const { preparedTx } = await farm.events.prepare({
        processType: harvest.processType,
        outputTlc: 'RH-20260915-BENCH',
        metadata: harvest.metadata,
      });
      Bare.call = { ...preparedTx, from: address };
      const bareModule: DynamicModule = {
        module: BareModule,
        imports: [
          PersistenceModule.forRoot({ endpoint: engines.database, contexts: [], poolSize: 10 }),
          ContentStorageModule.forRoot({ kind: 'files', folder: join(folder, 'bare') }),
        ],
        controllers: [BareController],
        providers: [{ provide: JsonRpc, useValue: engines.chain.rpc }],
      };
      const bare = await createHttpApp(bareModule, { config, logger: createLogger({ level: 'silent' }) });
      await bare.get(UnitOfWork).asSystem((tx) => tx.sql('select 1'));
      await createBareTable(engines.database);
      await bare.listen(0, '127.0.0.1');
      const barePort = (bare.getHttpServer().address() as { port: number }).port;
      let serial = 0;
      const body = (): string =>
        JSON.stringify({
          processType: harvest.processType,
          outputTlc: `RH-20260915-${(++serial).toString(36).toUpperCase().padStart(8, '0')}`,
          metadata: harvest.metadata,
        });
      const load = async (url: string, headers: Record<string, string>): Promise<number> => {
        const result = await autocannon({
          url,
          connections: CONNECTIONS,
          duration: SECONDS,
          requests: [
            {
              method: 'POST',
              headers: { 'content-type': 'application/json', ...headers },
              setupRequest: (request: object) => ({ ...request, body: body() }),
            },
          ],
        });
        if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`);
        return result.requests.average;
      };
      const [bareRates, rates]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        bareRates.push(await load(`http://127.0.0.1:${barePort}/bare`, {}));
        rates.push(await load(`${service.baseUrl}/api/v1/events/prepare`, { authorization: `Bearer ${login.accessToken}` }));
        say(`round ${round + 1}: bare ${bareRates.at(-1)!.toFixed(0)}/s, prepare ${rates.at(-1)!.toFixed(0)}/s`);
      }
      await bare.close();
      return [
        { what: 'bare route', value: median(bareRates), unit: 'requests/s' },
        { what: 'events/prepare', value: median(rates), unit: 'requests/s' },
        { what: 'ratio', value: median(rates) / median(bareRates), unit: '', limit: 'at least 0.45 of the bare route' },
      ];
    }),
};
