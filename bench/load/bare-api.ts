import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { Body, Controller, type DynamicModule, Get, HttpCode, Module, Param, Post } from '@nestjs/common';
import { JsonRpc } from '#chain';
import { configFrom } from '#config';
import { ContentStorageModule, ContentStore } from '#content-storage';
import { Access, createHttpApp, createLogger, StringField } from '#http';
import { newId } from '#kernel';
import { PersistenceModule, type PostgresEndpoint, UnitOfWork } from '#persistence';
import { BareBody } from '../bare-body.js';

/** Settings of a bare process. `call` is a real one, whose estimate succeeds. */
export interface BareApi {
  readonly endpoint: PostgresEndpoint;
  readonly rpcUrl: string;
  readonly call: { readonly from: string; readonly to: string; readonly data: string };
}

const { endpoint, rpcUrl, call } = JSON.parse(process.argv[2]!) as BareApi;

class BareTrack {
  @StringField({ description: 'as of a transaction' })
  txHash: string;
}

interface Row {
  readonly body: object;
}

/** The paths of the mix, each with the least that it could do: one statement; preparing a content, an estimate and one statement. */
@Controller('api/v1')
class BareController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly content: ContentStore,
    private readonly rpc: JsonRpc,
  ) {}

  @Get('nfts/:id')
  @Access('public')
  lot(@Param('id') id: string): Promise<object> {
    return this.one('lot', id);
  }

  @Get('nfts')
  @Access('public')
  lots(): Promise<object> {
    return this.page('lot');
  }

  @Get('events/:id')
  @Access('public')
  event(@Param('id') id: string): Promise<object> {
    return this.one('event', id);
  }

  @Get('events')
  @Access('public')
  events(): Promise<object> {
    return this.page('event');
  }

  @Post('events/prepare')
  @HttpCode(200)
  @Access('public')
  async prepare(@Body() body: BareBody): Promise<object> {
    const bytes = Buffer.from(JSON.stringify(body));
    // Another calldata each time, as a real request has.
    const data = call.data.slice(0, 10) + createHash('sha256').update(body.outputTlc).digest('hex').slice(0, 32) + call.data.slice(42);
    const gas = await this.rpc.call<string>('eth_estimateGas', [{ ...call, data }, 'latest']);
    const { cid } = await this.content.put(bytes);
    await this.unitOfWork.asSystem((tx) =>
      tx.sql('insert into bare (id, cid, body) values ($1, $2, $3)', [newId(), cid, bytes.toString()]),
    );
    return { gas, cid };
  }

  @Post('tx/track')
  @HttpCode(200)
  @Access('public')
  async track(@Body() { txHash }: BareTrack): Promise<object> {
    const id = newId();
    await this.unitOfWork.asSystem((tx) => tx.sql("insert into bare (id, cid, body) values ($1, $2, '{}')", [id, txHash]));
    return { trackingId: id, txHash };
  }

  private async one(kind: string, id: string): Promise<object> {
    const rows = await this.unitOfWork.asSystem((tx) =>
      tx.sql<Row>('select body from bare_read where kind = $1 and id = $2 limit 1', [kind, id]),
    );
    return rows[0]!.body;
  }

  private async page(kind: string): Promise<object> {
    const data = await this.unitOfWork.asSystem((tx) => tx.sql<Row>('select body from bare_read where kind = $1 limit 20', [kind]));
    return { data: data.map(({ body }) => body), total: data.length };
  }
}

@Module({})
class BareModule {}

const bareModule: DynamicModule = {
  module: BareModule,
  imports: [PersistenceModule.forRoot({ endpoint, contexts: [], poolSize: 10 }), ContentStorageModule.forRoot({ kind: 'database' })],
  controllers: [BareController],
  providers: [{ provide: JsonRpc, useValue: new JsonRpc({ urls: [rpcUrl], timeoutMs: 60_000 }) }],
};

// Says its port, and ends with its parent.
const app = await createHttpApp(bareModule, { config: configFrom({}), logger: createLogger({ level: 'silent' }) });
await app.listen(0, '127.0.0.1');
process.send!({ port: (app.getHttpServer().address() as { port: number }).port });
process.on('disconnect', () => process.exit(0));
