import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CurrentActor, INVALID_CONTENT, PageQuery, pageView } from '#http';
import type { Actor } from '#kernel';
import { ChangeApiKey } from '../../application/change-api-key.js';
import { CreateApiKey } from '../../application/create-api-key.js';
import { apiKeyNotFound, apiKeyRevoked, bearerRequired, organisationNotFound, quotaExceeded, roleRequired } from '../../domain/errors.js';
import { AdministrationQueries } from '../persistence/administration-queries.js';
import { ApiKeyBody, RotateBody } from './administration.dto.js';
import { ApiKeyPageView, ApiKeySecretView, apiKeyView } from './administration.view.js';
import { requestTime, requireScopes } from './request-time.js';

/** Keys of the tenant's servers (specification §5.2): managed by people, not by keys. */
@ApiTags('API keys')
@ApiProblems(bearerRequired, roleRequired)
@Access({ roles: ['TENANT_ADMIN'], bearerOnly: true })
@Controller('api/v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly createApiKey: CreateApiKey,
    private readonly changeApiKey: ChangeApiKey,
    private readonly queries: AdministrationQueries,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Keys of the tenant, the newest first, revoked ones too' })
  @ApiOkResponse({ type: ApiKeyPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery): Promise<ApiKeyPageView> {
    return pageView(await this.queries.apiKeys(actor, query), apiKeyView);
  }

  @Post()
  @ApiOperation({ summary: 'A new key; its secret is shown this once' })
  @ApiCreatedResponse({ type: ApiKeySecretView })
  @ApiProblems(organisationNotFound, quotaExceeded, INVALID_CONTENT)
  async create(@CurrentActor() actor: Actor, @Body() body: ApiKeyBody): Promise<ApiKeySecretView> {
    requireScopes(body.roleScopes);
    const { key, text } = await this.createApiKey.create(
      actor.tenantId,
      Object.assign(body, { expiresAt: requestTime(body.expiresAt, 'expiresAt') }),
      actor,
    );
    return Object.assign(apiKeyView(key), { secret: text });
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'A new secret; the old one stays good for `overlapSeconds`' })
  @ApiOkResponse({ type: ApiKeySecretView })
  @ApiProblems(apiKeyNotFound, apiKeyRevoked)
  async rotate(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() { overlapSeconds }: RotateBody): Promise<ApiKeySecretView> {
    const { key, text } = await this.changeApiKey.rotate(actor.tenantId, id, overlapSeconds, actor);
    return Object.assign(apiKeyView(key), { secret: text });
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke a key, at once' })
  @ApiNoContentResponse({ description: 'Revoked' })
  @ApiProblems(apiKeyNotFound)
  revoke(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    return this.changeApiKey.revoke(actor.tenantId, id, actor);
  }
}
