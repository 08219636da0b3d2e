import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CurrentActor, INVALID_CONTENT, pageView } from '#http';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditTrail } from '../../administration.ports.js';
import { InviteMember } from '../../application/invite-member.js';
import { invitationNotFound, passwordQueueFull, roleRequired } from '../../domain/errors.js';
import { AuditQuery, InvitationBody } from './administration.dto.js';
import { AuditPageView, auditView } from './administration.view.js';
import { requestTime } from './request-time.js';

@ApiTags('Audit')
@Controller('api/v1/audit')
export class AuditController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly trail: AuditTrail,
  ) {}

  @Get()
  @Access({ roles: ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Security events of the tenant, the newest first' })
  @ApiOkResponse({ type: AuditPageView })
  @ApiProblems(roleRequired)
  async list(@CurrentActor() actor: Actor, @Query() query: AuditQuery): Promise<AuditPageView> {
    const { action = null, actorId = null, subject = null, page, limit } = query;
    const filter = { action, actorId, subject, from: requestTime(query.from, 'from'), to: requestTime(query.to, 'to') };
    return pageView(await this.unitOfWork.inTransaction(actor, (tx) => this.trail.list(tx, filter, { page, limit })), auditView);
  }
}

@ApiTags('Authentication')
@Controller('api/v2/auth/invitations')
export class InvitationsController {
  constructor(private readonly inviteMember: InviteMember) {}

  @Post('accept')
  @HttpCode(204)
  @Access('public')
  @ApiOperation({ summary: 'Set the first password by the one-time link; then log in' })
  @ApiNoContentResponse({ description: 'Set' })
  @ApiProblems(invitationNotFound, passwordQueueFull, INVALID_CONTENT)
  accept(@Body() { token, password }: InvitationBody): Promise<void> {
    return this.inviteMember.accept(token, password);
  }
}
