import { once, EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHttpApp } from './app.js';
import { drain } from './drain.js';
import { createLogger } from '../logging/logger.js';

const gate = new EventEmitter();

@Controller()
class GateController {
  @Get('wait')
  async wait(): Promise<object> {
    gate.emit('arrived');
    await once(gate, 'open');
    return { done: true };
  }
}
@Module({ controllers: [GateController] })
class GateModule {}

describe('a server that is drained', () => {
  let app: NestFastifyApplication;
  let base: string;
  /** Keeps its connections, as clients of services do. */
  const agent = new Agent({ keepAlive: true });
  const ask = async (): Promise<number> => {
    const [response] = (await once(get(`${base}/wait`, { agent }), 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    return response.statusCode;
  };
  beforeEach(async () => {
    app = await createHttpApp(GateModule, {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } },
      logger: createLogger({ level: 'silent' }),
    });
    await app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterEach(() => app.close());

  it('answers what it had begun, and nobody who comes later; a connection that is kept alive holds nothing up', async () => {
    const arrived = once(gate, 'arrived');
    const answer = ask();
    await arrived;
    const drained = drain(app);
    await expect(fetch(`${base}/wait`)).rejects.toThrow();
    gate.emit('open');
    expect(await answer).toBe(200);
    await drained;
  });

  it('answers a request that comes on a kept connection with a problem, and does nothing', async () => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    const said = text(socket);
    const arrived = once(gate, 'arrived');
    socket.write('GET /wait HTTP/1.1\r\nhost: x\r\n\r\n');
    await arrived;
    const drained = drain(app);
    // Pipelined behind a request that still runs.
    socket.write('GET /wait HTTP/1.1\r\nhost: x\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    gate.emit('open');
    await drained;
    const [, first, second] = (await said).split('HTTP/1.1 ');
    expect(first).toMatch(/^200 /);
    expect(second).toMatch(/^503 /);
    expect(second).toMatch(/^content-type: application\/problem\+json/im);
    expect(second).toMatch(/^retry-after: 1\r$/im);
    expect(second).toMatch(/^connection: close\r$/im);
    expect(JSON.parse(second!.slice(second!.indexOf('{'), second!.lastIndexOf('}') + 1))).toMatchObject({
      status: 503,
      code: 'stopping',
      instance: '/wait',
    });
  });

  it('cuts what takes longer than the grace', async () => {
    const arrived = once(gate, 'arrived');
    const answer = ask();
    await Promise.all([expect(answer).rejects.toThrow(), arrived.then(() => drain(app, 10))]);
    gate.emit('open');
  });
});
