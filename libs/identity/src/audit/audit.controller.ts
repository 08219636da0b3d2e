import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CurrentActor, pageView, periodIn } from '#http';
import { type Actor, roleRequired } from '#kernel';
import { AuditPageView, AuditQuery, auditView } from './audit.dto.js';
import { AuditQueries } from './audit.queries.js';

@ApiTags('Audit')
@Controller('api/v1/audit')
export class AuditController {
  constructor(private readonly audit: AuditQueries) {}

  @Get()
  @Access({ roles: ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Security events of the tenant, newest first' })
  @ApiOkResponse({ type: AuditPageView })
  @ApiProblems(roleRequired)
  async list(@CurrentActor() actor: Actor, @Query() query: AuditQuery): Promise<AuditPageView> {
    const { action = null, actorId = null, subject = null, page, limit } = query;
    const filter = { action, actorId, subject, ...periodIn(query.from, query.to) };
    return pageView(await this.audit.list(actor, filter, { page, limit }), auditView);
  }
}
