import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CreatedAt, CurrentActor, INVALID_CONTENT, PageQuery, instantIn, pageView } from '#http';
import { type Actor, beyondOwnGrants, roleRequired } from '#kernel';
import { ChangeApiKey } from './change-api-key.js';
import { CreateApiKey } from './create-api-key.js';
import { apiKeyNotFound, apiKeyRevoked, bearerRequired, organisationNotFound, quotaExceeded } from '../errors.js';
import { ApiKeyBody, ApiKeyPageView, ApiKeySecretView, RotateBody, apiKeyView } from './api-keys.dto.js';
import { ApiKeysQueries } from './api-keys.queries.js';
import { requireScopes } from '../access/role-scopes.dto.js';

/** Keys of the tenant's servers (docs/spec/service.md#api-key): managed by people, not by keys. */
@ApiTags('API keys')
@ApiProblems(bearerRequired, roleRequired)
@Access({ roles: ['TENANT_ADMIN'], bearerOnly: true })
@Controller('api/v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly createApiKey: CreateApiKey,
    private readonly changeApiKey: ChangeApiKey,
    private readonly keys: ApiKeysQueries,
  ) {}

  @Get()
  @ApiOperation({ summary: 'API keys of the tenant, newest first, revoked keys too' })
  @ApiOkResponse({ type: ApiKeyPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery): Promise<ApiKeyPageView> {
    return pageView(await this.keys.list(actor, query), apiKeyView);
  }

  @Post()
  @ApiOperation({ summary: 'Create a key; its secret is shown only once' })
  @ApiCreatedResponse({ type: ApiKeySecretView })
  @CreatedAt(({ id }: ApiKeySecretView) => `/api/v1/api-keys/${id}`)
  @ApiProblems(beyondOwnGrants, organisationNotFound, quotaExceeded, INVALID_CONTENT)
  async create(@CurrentActor() actor: Actor, @Body() body: ApiKeyBody): Promise<ApiKeySecretView> {
    requireScopes(body.roleScopes);
    const { expiresAt = null } = body;
    const { key, text } = await this.createApiKey.create(
      actor.tenantId,
      Object.assign(body, { expiresAt: expiresAt === null ? null : instantIn(expiresAt, '/expiresAt') }),
      actor,
    );
    return Object.assign(apiKeyView(key), { secret: text });
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Create a new secret; the old one stays valid for `overlapSeconds`' })
  @ApiOkResponse({ type: ApiKeySecretView })
  @ApiProblems(beyondOwnGrants, apiKeyNotFound, apiKeyRevoked)
  async rotate(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() { overlapSeconds }: RotateBody): Promise<ApiKeySecretView> {
    const { key, text } = await this.changeApiKey.rotate(actor.tenantId, id, overlapSeconds, actor);
    return Object.assign(apiKeyView(key), { secret: text });
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke a key, at once' })
  @ApiNoContentResponse({ description: 'Revoked' })
  @ApiProblems(beyondOwnGrants, apiKeyNotFound)
  revoke(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    return this.changeApiKey.revoke(actor.tenantId, id, actor);
  }
}
