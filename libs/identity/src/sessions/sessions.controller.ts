import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems } from '#http';
import { CurrentBearer } from '../access/principal.guard.js';
import type { BearerPrincipal } from '../access/principal.js';
import { bearerRequired, invalidToken, partialToken, sessionNotFound, tokenExpired, unauthenticated } from '../errors.js';
import { RevokeSessions, OwnSessions } from './revoke-sessions.js';
import { SessionsView, sessionView } from './sessions.dto.js';

const bearerProblems = [unauthenticated, invalidToken, tokenExpired, bearerRequired, partialToken] as const;

/** docs/spec/api.md#sessions. */
@ApiTags('Authentication')
@Controller('api/v2/auth/sessions')
export class SessionsController {
  constructor(
    private readonly own: OwnSessions,
    private readonly endSessions: RevokeSessions,
  ) {}

  @Get()
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'listSessions', summary: 'Your sessions that have not ended' })
  @ApiOkResponse({ type: SessionsView })
  @ApiProblems(...bearerProblems)
  async list(@CurrentBearer() caller: BearerPrincipal): Promise<SessionsView> {
    return { data: (await this.own.list(caller)).map((session) => sessionView(session, caller.sessionId)) };
  }

  @Delete()
  @HttpCode(204)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'endOtherSessions', summary: 'End all your sessions but this one' })
  @ApiNoContentResponse({ description: 'Ended' })
  @ApiProblems(...bearerProblems)
  endOthers(@CurrentBearer() caller: BearerPrincipal): Promise<void> {
    return this.endSessions.others(caller);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'endSession', summary: 'End one of your sessions' })
  @ApiNoContentResponse({ description: 'Ended' })
  @ApiProblems(...bearerProblems, sessionNotFound)
  end(@CurrentBearer() caller: BearerPrincipal, @Param('id') id: string): Promise<void> {
    return this.endSessions.one(caller, id);
  }
}
