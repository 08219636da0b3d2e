import { ApiProblems, CreatedAt, PageQuery } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { grantNotFound, passportNotFound, tooManyGrants } from '../errors.js';
import { type PassportRequest, passportId } from '../issuing/passports.dto.js';
import { PassportsQueries } from '../issuing/passports.queries.js';
import { ChangeGrants } from './change-grants.js';
import { AccessGrantPageView, AccessGrantView, CreateGrantBody, CreatedGrantView, grantView } from './grants.dto.js';
import { GrantsQueries } from './grants.queries.js';

const WEEK = 7 * 86_400;

@ApiTags('Passports')
@Controller('api/v1/passports/:passportId/grants')
@Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
export class PassportGrantsController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly grants: GrantsQueries,
    private readonly changeGrants: ChangeGrants,
  ) {}

  @Get()
  @Access({ roles: ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Who outside of the tenant may read more of a passport than everybody, newest first' })
  @ApiOkResponse({ type: AccessGrantPageView })
  @ApiProblems(passportNotFound)
  async list(@CurrentActor() actor: Actor, @Param('passportId') id: string, @Query() query: PageQuery): Promise<AccessGrantPageView> {
    const known = passportId(id);
    const [passport, listed] = await this.work.read(actor, (tx) =>
      Promise.all([this.passports.byId(tx, known), this.grants.list(tx, known, query)]),
    );
    if (!passport) throw passportNotFound();
    const { nextCursor: _, ...page } = listed;
    return { ...page, data: page.data.map(grantView) };
  }

  @Get(':grantId')
  @Access({ roles: ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ operationId: 'readPassportGrant', summary: 'One grant' })
  @ApiOkResponse({ type: AccessGrantView })
  @ApiProblems(grantNotFound, passportNotFound)
  async byId(@CurrentActor() actor: Actor, @Param('passportId') id: string, @Param('grantId') grantId: string): Promise<AccessGrantView> {
    return grantView(await this.work.read(actor, (tx) => this.grants.byId(tx, passportId(id), grantId)));
  }

  @Post()
  @ApiOperation({
    operationId: 'createPassportGrant',
    summary: 'Let a person or an organisation outside of the tenant read more of a passport, by a one-time link or a key',
  })
  @ApiCreatedResponse({ type: CreatedGrantView })
  @CreatedAt(({ id, passportId: of }: CreatedGrantView) => `/api/v1/passports/${of}/grants/${id}`)
  @ApiProblems(passportNotFound, tooManyGrants)
  async create(
    @CurrentActor() actor: Actor,
    @Param('passportId') id: string,
    @Body() { kind = 'link', expiresInSeconds = WEEK, ...words }: CreateGrantBody,
    @Req() request: PassportRequest,
  ): Promise<CreatedGrantView> {
    const { grant, token } = await this.changeGrants.create(actor, passportId(id), { kind, ...words }, expiresInSeconds);
    return Object.assign(grantView(grant), { token, url: `${request.publicOrigin}/p/${id}/granted?grant=${token}` });
  }

  @Delete(':grantId')
  @HttpCode(204)
  @ApiOperation({ operationId: 'withdrawPassportGrant', summary: 'Withdraw a grant: from now on it opens nothing' })
  @ApiNoContentResponse({ description: 'Withdrawn' })
  @ApiProblems(grantNotFound, passportNotFound)
  withdraw(@CurrentActor() actor: Actor, @Param('passportId') id: string, @Param('grantId') grantId: string): Promise<void> {
    return this.changeGrants.withdraw(actor, passportId(id), grantId);
  }
}
