import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access } from '../access.js';
import { LimitAs } from '../limits/rate-limits.js';
import { HealthChecks, type Readiness } from './health-checks.js';

@ApiTags('Health')
@Controller('health')
@Access('public')
@LimitAs('none')
export class HealthController {
  constructor(private readonly checks: HealthChecks) {}

  @Get('live')
  @ApiOperation({ summary: 'The process runs' })
  @ApiOkResponse({ description: 'It does' })
  live(): { readonly status: 'alive' } {
    return { status: 'alive' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Each engine and its state; 503 when one is down without which no request can be served' })
  @ApiOkResponse({ description: '`status` is ready, or degraded when an engine is down that only part of the service needs' })
  @ApiServiceUnavailableResponse({ description: '`status` is unavailable; `checks` says which engine is down' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.checks.readiness();
    void reply.code(readiness.status === 'unavailable' ? 503 : 200).header('cache-control', 'no-store');
    return readiness;
  }
}
