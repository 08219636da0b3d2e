import { ApiProblems, PageQuery, tokenId as readTokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor, Page } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChangeSettings } from '../../application/change-settings.js';
import { IssueOne } from '../../application/issue-one.js';
import { WithdrawPassport } from '../../application/withdraw-passport.js';
import { linkPath } from '../../domain/digital-link.js';
import { notForPassports, passportNotFound, passportRecalled, passportsOff } from '../../domain/errors.js';
import type { Issued, PassportSetting } from '../../domain/facts.js';
import type { PublicPassport } from '../../domain/passport.js';
import { PassportSettings, Passports } from '../../ports.js';
import { PassportPageView, PassportSettingsBody, PassportSettingsView, PassportView, WithdrawBody } from './passports.dto.js';
import type { Asking } from './public-answer.js';
import { originOf, passportId } from './public.controller.js';

@ApiTags('passports')
@Controller('api/v1')
@Access('member')
export class PassportsController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: Passports,
    private readonly settings: PassportSettings,
    private readonly changeSettings: ChangeSettings,
    private readonly withdrawPassport: WithdrawPassport,
    private readonly issueOne: IssueOne,
  ) {}

  @Get('passport-settings')
  @ApiOperation({ summary: 'Whether and how the tenant shows passports' })
  @ApiOkResponse({ type: PassportSettingsView })
  async show(@CurrentActor() actor: Actor): Promise<PassportSettingsView> {
    return settingsView(await this.work.inTransaction(actor, (tx) => this.settings.of(tx)));
  }

  @Patch('passport-settings')
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({
    summary: 'Show passports, or no more; what is absent stays as it is',
    description: 'Every lot of an asset type with `passport: true` gets one when its making is final, those that are there too.',
  })
  @ApiOkResponse({ type: PassportSettingsView })
  async change(@CurrentActor() actor: Actor, @Body() body: PassportSettingsBody): Promise<PassportSettingsView> {
    return settingsView(await this.changeSettings.change(actor, body));
  }

  @Get('passports')
  @ApiOperation({ summary: 'Passports of the tenant, newest first' })
  @ApiOkResponse({ type: PassportPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery, @Req() request: Asking): Promise<PassportPageView> {
    const { page, resolver } = await this.work.inSnapshot(actor, async (tx) => ({
      page: await this.passports.list(tx, query),
      resolver: (await this.settings.of(tx)).resolver,
    }));
    const { nextCursor: _, ...listed } = page satisfies Page<Issued>;
    return { ...listed, data: page.data.map((passport) => passportView(passport, resolver ?? originOf(request))) };
  }

  @Get('passports/:passportId')
  @ApiOperation({ summary: 'One passport' })
  @ApiOkResponse({ type: PassportView })
  @ApiProblems(passportNotFound)
  byId(@CurrentActor() actor: Actor, @Param('passportId') id: string, @Req() request: Asking): Promise<PassportView> {
    return this.view(actor, passportId(id), request);
  }

  @Post('passports/:passportId/withdraw')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Show it no more: 410 from now on' })
  @ApiOkResponse({ type: PassportView })
  @ApiProblems(passportNotFound, passportRecalled)
  async withdraw(
    @CurrentActor() actor: Actor,
    @Param('passportId') id: string,
    @Body() { reason }: WithdrawBody,
    @Req() request: Asking,
  ): Promise<PassportView> {
    await this.withdrawPassport.withdraw(actor, passportId(id), reason);
    return this.view(actor, id, request);
  }

  @Post('passports/:passportId/reinstate')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Show a withdrawn one again' })
  @ApiOkResponse({ type: PassportView })
  @ApiProblems(passportNotFound)
  async reinstate(@CurrentActor() actor: Actor, @Param('passportId') id: string, @Req() request: Asking): Promise<PassportView> {
    await this.withdrawPassport.reinstate(actor, passportId(id));
    return this.view(actor, id, request);
  }

  @Get('nfts/:tokenId/passport')
  @ApiOperation({ summary: 'What the public reads of a lot, or would read: a draft where no passport is shown' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ schema: { type: 'object', description: 'The public JSON, with `passportStatus`', additionalProperties: true } })
  @ApiProblems(passportNotFound)
  preview(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Req() request: Asking): Promise<PublicPassport> {
    return this.issueOne.preview(actor, readTokenId(id), originOf(request));
  }

  @Post('nfts/:tokenId/passport')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Issue the passport of a lot now, or find it; most come by themselves' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: PassportView })
  @ApiProblems(passportNotFound, passportsOff, notForPassports)
  async issue(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Req() request: Asking): Promise<PassportView> {
    return this.view(actor, await this.issueOne.issue(actor, readTokenId(id)), request);
  }

  private async view(actor: Actor, id: string, request: Asking): Promise<PassportView> {
    const { passport, resolver } = await this.work.inTransaction(actor, async (tx) => ({
      passport: await this.passports.issued(tx, id),
      resolver: (await this.settings.of(tx)).resolver,
    }));
    if (!passport) throw passportNotFound();
    return passportView(passport, resolver ?? originOf(request));
  }
}

const settingsView = ({ enabled, showIntegrity, resolver }: PassportSetting): PassportSettingsView => ({
  enabled,
  showIntegrity,
  resolver,
});

const passportView = (passport: Issued, base: string): PassportView => ({
  id: passport.id,
  tokenId: Number(passport.tokenId),
  tlc: passport.tlc,
  gtin: passport.gtin,
  url: `${base}/p/${passport.id}`,
  digitalLink: passport.gtin === null ? null : base + linkPath(passport.gtin, passport.tlc),
  version: passport.version,
  issuedAt: passport.issuedAt.toISOString(),
  lastUpdated: passport.updatedAt.toISOString(),
  withdrawnAt: passport.withdrawnAt?.toISOString() ?? null,
  withdrawnReason: passport.withdrawnReason,
});
