import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access } from '../access.js';
import { LimitAs } from '../limits/rate-limits.js';
import { HealthChecks, type Readiness } from './health-checks.js';

const ALIVE = { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['alive'] } } };
/** Beside its state an engine tells facts of its own: versions, positions. */
const CHECK = {
  type: 'object',
  required: ['state', 'required', 'ms'],
  properties: {
    state: { type: 'string', enum: ['up', 'down'] },
    required: { type: 'boolean', description: 'Whether no request can be served without it' },
    ms: { type: 'integer', description: 'What the check took' },
    reason: { type: 'string', description: 'Why it is down: a code' },
  },
  additionalProperties: true,
};
const readinessWith = (...states: readonly Readiness['status'][]) => ({
  type: 'object',
  required: ['status', 'checks'],
  properties: {
    status: { type: 'string', enum: [...states] },
    checks: { type: 'object', description: 'By the name of the engine', additionalProperties: CHECK },
  },
});

@ApiTags('Health')
@Controller('health')
@Access('public')
@LimitAs('none')
export class HealthController {
  constructor(private readonly checks: HealthChecks) {}

  @Get('live')
  @ApiOperation({ summary: 'The process runs' })
  @ApiOkResponse({ description: 'It does', schema: ALIVE })
  live(): { readonly status: 'alive' } {
    return { status: 'alive' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Each engine and its state; 503 when one is down without which no request can be served' })
  @ApiOkResponse({
    description: '`status` is ready, or degraded when an engine is down that only part of the service needs',
    schema: readinessWith('ready', 'degraded'),
  })
  @ApiServiceUnavailableResponse({
    description: '`status` is unavailable; `checks` says which engine is down',
    schema: readinessWith('unavailable'),
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.checks.readiness();
    void reply.code(readiness.status === 'unavailable' ? 503 : 200).header('cache-control', 'no-store');
    return readiness;
  }
}
