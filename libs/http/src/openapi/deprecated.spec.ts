import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Access } from '../access/access.js';
import { createHttpApp } from '../app/app.js';
import { drain } from '../app/drain.js';
import { createLogger } from '../logging/logger.js';
import { Deprecated } from './describe-operation.js';
import { openApiDocument } from './serve.js';

@Controller('barrels')
class BarrelsController {
  @Get()
  @Access('public')
  @Deprecated({ since: '2027-01-01', sunset: '2028-01-01', successor: '/api/v2/casks' })
  list(): readonly string[] {
    return [];
  }
}

@Module({ controllers: [BarrelsController] })
class BarrelsModule {}

describe('a route that will go', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const config = { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } };
    app = await createHttpApp(BarrelsModule, { config, logger: createLogger({ level: 'silent' }) });
    await app.init();
  });
  afterAll(() => drain(app).then(() => app.close()));

  it('says since when, until when and what takes its place, in each answer and in the document', async () => {
    const { headers } = await app.inject({ method: 'GET', url: '/barrels' });
    expect(headers).toMatchObject({
      deprecation: '@1798761600',
      sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
      link: '</api/v2/casks>; rel="successor-version"',
    });
    expect(openApiDocument(app).paths['/barrels']!.get).toMatchObject({ deprecated: true });
  });

  it('goes after twelve months at the earliest', () => {
    const early = { since: '2027-01-01', sunset: '2027-12-31', successor: '/api/v2/casks' };
    expect(() => Deprecated(early)).toThrow('callers have 12 months');
    expect(() => Deprecated({ ...early, sunset: 'soon' })).toThrow('callers have 12 months');
  });
});
