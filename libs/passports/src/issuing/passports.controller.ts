import { ApiProblems, PageQuery, tokenId as readTokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { notForPassports, passportNotFound, passportRecalled, passportsOff } from '../errors.js';
import { IssuePassports } from './issue-passports.js';
import { PassportPageView, type PassportRequest, PassportView, WithdrawBody, passportId, passportView } from './passports.dto.js';
import { ReadPassports } from './read-passports.js';
import { WithdrawPassport } from './withdraw-passport.js';

@ApiTags('Passports')
@Controller('api/v1')
@Access('member')
export class PassportsController {
  constructor(
    private readonly readPassports: ReadPassports,
    private readonly withdrawPassport: WithdrawPassport,
    private readonly issuePassports: IssuePassports,
  ) {}

  @Get('passports')
  @ApiOperation({ summary: 'Passports of the tenant, newest first' })
  @ApiOkResponse({ type: PassportPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery, @Req() request: PassportRequest): Promise<PassportPageView> {
    const { nextCursor: _, ...listed } = await this.readPassports.list(actor, query);
    return { ...listed, data: listed.data.map((passport) => passportView(passport, request.publicOrigin)) };
  }

  @Get('passports/:passportId')
  @ApiOperation({ summary: 'One passport' })
  @ApiOkResponse({ type: PassportView })
  @ApiProblems(passportNotFound)
  byId(@CurrentActor() actor: Actor, @Param('passportId') id: string, @Req() request: PassportRequest): Promise<PassportView> {
    return this.view(actor, passportId(id), request);
  }

  @Post('passports/:passportId/withdraw')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ summary: 'Withdraw a passport: its address answers 410 from now on' })
  @ApiOkResponse({ type: PassportView })
  @ApiProblems(passportNotFound, passportRecalled)
  async withdraw(
    @CurrentActor() actor: Actor,
    @Param('passportId') id: string,
    @Body() { reason }: WithdrawBody,
    @Req() request: PassportRequest,
  ): Promise<PassportView> {
    await this.withdrawPassport.withdraw(actor, passportId(id), reason);
    return this.view(actor, id, request);
  }

  @Post('passports/:passportId/reinstate')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ summary: 'Show a withdrawn passport again' })
  @ApiOkResponse({ type: PassportView })
  @ApiProblems(passportNotFound)
  async reinstate(@CurrentActor() actor: Actor, @Param('passportId') id: string, @Req() request: PassportRequest): Promise<PassportView> {
    await this.withdrawPassport.reinstate(actor, passportId(id));
    return this.view(actor, id, request);
  }

  @Post('nfts/:tokenId/passport')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({
    operationId: 'issuePassport',
    summary: 'Issue the passport of a lot now, or find it; most passports are issued automatically',
  })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: PassportView })
  @ApiProblems(passportNotFound, passportsOff, notForPassports)
  async issue(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Req() request: PassportRequest): Promise<PassportView> {
    return this.view(actor, await this.issuePassports.issue(actor, readTokenId(id)), request);
  }

  private async view(actor: Actor, id: string, request: PassportRequest): Promise<PassportView> {
    return passportView(await this.readPassports.byId(actor, id), request.publicOrigin);
  }
}
