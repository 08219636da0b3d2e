import { Controller, type DynamicModule, Get, Module } from '@nestjs/common';
import { Pool } from 'pg';
import { Access, createHttpApp, createLogger } from '#http';
import type { DemoService } from './demo-service.js';

let pool: Pool;
const BARE = { name: 'bare_read', text: 'select body from bare_read where kind = $1' };

/** The least that a read could do: one statement, whose rows are the answer. */
@Controller('bare')
class BareReadController {
  @Get('lot')
  @Access('public')
  async lot(): Promise<object> {
    return (await this.bodies('lot'))[0]!;
  }

  @Get('lots')
  @Access('public')
  async lots(): Promise<object> {
    const data = await this.bodies('lots');
    return { data, total: data.length };
  }

  private async bodies(kind: string): Promise<object[]> {
    const { rows } = await pool.query<{ body: object }>({ ...BARE, values: [kind] });
    return rows.map(({ body }) => body);
  }
}

@Module({})
class BareReadModule {}

/** On the database of the service, in its process: it ends with it. @returns its address */
export async function startBareReads({ config, service }: DemoService, lots: readonly object[]): Promise<string> {
  pool = new Pool({ ...service.engines.database, max: 10 });
  await pool.query('create table bare_read (kind text not null, body jsonb not null)');
  await pool.query('create index on bare_read (kind)');
  const bodies = [['lot', lots[0]], ...lots.map((lot) => ['lots', lot])] as const;
  for (const [kind, body] of bodies) await pool.query('insert into bare_read values ($1, $2)', [kind, JSON.stringify(body)]);
  const module: DynamicModule = { module: BareReadModule, controllers: [BareReadController] };
  const app = await createHttpApp(module, { config, logger: createLogger({ level: 'silent' }) });
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}
