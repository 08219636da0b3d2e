import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Access, ApiProblems, CreatedAt, CurrentActor, Edits, HasETag, IfMatch, INVALID_CONTENT, pageView } from '#http';
import { type Actor, beyondOwnGrants, type ExpectedState, foreignSender, roleRequired, senderOf, wantedLanguage } from '#kernel';
import { Prepares } from '#prepare';
import { requireScopes } from '../access/role-scopes.dto.js';
import {
  alreadyMember,
  bearerRequired,
  invitationNotFound,
  lastTenantAdmin,
  memberNotFound,
  noMemberWallet,
  organisationNotFound,
  passwordQueueFull,
  quotaExceeded,
  tenantHasNoContract,
  walletTaken,
} from '../errors.js';
import { AcceptInvitation, InviteMember } from './invite-member.js';
import { ChangeMember } from './change-member.js';
import {
  GrantsBody,
  GrantsView,
  InvitationBody,
  MemberBody,
  MemberChange,
  MemberPageView,
  MemberQuery,
  MemberView,
  ReplacementBody,
  ReplacementView,
  SenderBody,
  grantsView,
  memberView,
  replacementView,
} from './members.dto.js';
import { PrepareGrants, ReplaceWallet } from './prepare-grants.js';
import { ReadMembers } from './read-members.js';

/** People of the tenant, what the service lets them do, and whether the contract agrees (docs/spec/api.md#identity). */
@ApiTags('Members')
@ApiProblems(bearerRequired, roleRequired)
@Access({ roles: ['TENANT_ADMIN'], bearerOnly: true })
@Controller('api/v2/members')
export class MembersController {
  constructor(
    private readonly members: ReadMembers,
    private readonly inviteMember: InviteMember,
    private readonly changeMember: ChangeMember,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Members by e-mail, each with what the contract lets its wallet do' })
  @ApiOkResponse({ type: MemberPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: MemberQuery): Promise<MemberPageView> {
    const { status, search = '', page, limit } = query;
    return pageView(await this.members.list(actor.tenantId, { status, search }, { page, limit }), memberView);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One member' })
  @ApiOkResponse({ type: MemberView })
  @ApiProblems(memberNotFound)
  @HasETag()
  async get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<MemberView> {
    return memberView(await this.members.get(actor.tenantId, id));
  }

  @Post()
  @ApiOperation({
    operationId: 'inviteMember',
    summary: 'Invite somebody: a mail tells them how to sign in. The answer is the same for a user of the service and for a new one',
  })
  @ApiCreatedResponse({ type: MemberView })
  @CreatedAt(({ id }: MemberView) => `/api/v2/members/${id}`)
  @ApiProblems(beyondOwnGrants, organisationNotFound, alreadyMember, quotaExceeded, INVALID_CONTENT)
  async invite(@CurrentActor() actor: Actor, @Body() body: MemberBody, @Req() request: FastifyRequest): Promise<MemberView> {
    requireScopes(body.roleScopes);
    const language = wantedLanguage(request.headers['accept-language']);
    return memberView(await this.members.get(actor.tenantId, await this.inviteMember.invite(actor, body, language)));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change roles, scopes or organisation, or propose a wallet; absent fields do not change' })
  @ApiOkResponse({ type: MemberView })
  @ApiProblems(beyondOwnGrants, memberNotFound, organisationNotFound, walletTaken, lastTenantAdmin, quotaExceeded, INVALID_CONTENT)
  @HasETag()
  @Edits()
  async change(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() body: MemberChange,
    @IfMatch() expected: ExpectedState,
  ): Promise<MemberView> {
    requireScopes(body.roleScopes);
    await this.changeMember.change(actor.tenantId, id, body, actor, expected);
    return memberView(await this.members.get(actor.tenantId, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'End a membership, at once; then prepare its grants to remove the rights on chain' })
  @ApiNoContentResponse({ description: 'Ended' })
  @ApiProblems(beyondOwnGrants, memberNotFound, lastTenantAdmin)
  @Edits()
  remove(@CurrentActor() actor: Actor, @Param('id') id: string, @IfMatch() expected: ExpectedState): Promise<void> {
    return this.changeMember.remove(actor.tenantId, id, actor, expected);
  }
}

/** Transactions that bring the rights of members' wallets in line with their roles. */
@ApiTags('Members')
@ApiProblems(bearerRequired, roleRequired)
@Controller('api/v2/members')
export class MemberWalletsController {
  constructor(
    private readonly prepareGrants: PrepareGrants,
    private readonly replaceWallet: ReplaceWallet,
  ) {}

  @Post('grants/prepare')
  @Prepares(PrepareGrants)
  @ApiOperation({
    operationId: 'prepareGrantsOfMembers',
    summary: 'The same for several members: an account of passkeys signs all calls at once, as one batch',
  })
  @ApiOkResponse({ type: GrantsView })
  @ApiProblems(beyondOwnGrants, memberNotFound, noMemberWallet, tenantHasNoContract, foreignSender, INVALID_CONTENT)
  async grantsOfMany(@CurrentActor() actor: Actor, @Body() { members, from }: GrantsBody): Promise<GrantsView> {
    return grantsView(await this.prepareGrants.prepareMany(actor, members, senderOf(actor, from)));
  }

  @Post(':id/grants/prepare')
  @Prepares(PrepareGrants)
  @ApiOperation({
    operationId: 'prepareMemberGrants',
    summary: 'What to sign so that the contract lets the wallet do what the service lets the member do',
  })
  @ApiOkResponse({ type: GrantsView })
  @ApiProblems(beyondOwnGrants, memberNotFound, noMemberWallet, tenantHasNoContract, foreignSender)
  async grants(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() { from }: SenderBody): Promise<GrantsView> {
    return grantsView(await this.prepareGrants.prepare(actor.tenantId, id, senderOf(actor, from), actor));
  }

  @Post(':id/wallet/replace/prepare')
  @Prepares(PrepareGrants)
  @ApiOperation({
    operationId: 'prepareMemberWalletReplacement',
    summary: 'Replace a lost wallet: what to sign now, and what the new wallet signs after seven days',
  })
  @ApiOkResponse({ type: ReplacementView })
  @ApiProblems(
    beyondOwnGrants,
    memberNotFound,
    noMemberWallet,
    walletTaken,
    quotaExceeded,
    tenantHasNoContract,
    foreignSender,
    INVALID_CONTENT,
  )
  async replace(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() { wallet, from }: ReplacementBody,
  ): Promise<ReplacementView> {
    return replacementView(await this.replaceWallet.prepare(actor, id, wallet, senderOf(actor, from)));
  }
}

@ApiTags('Authentication')
@Controller('api/v2/auth/invitations')
export class InvitationsController {
  constructor(private readonly acceptInvitation: AcceptInvitation) {}

  @Post('accept')
  @HttpCode(204)
  @Access('public')
  @ApiOperation({ summary: 'Set the first password by the one-time link; then log in' })
  @ApiNoContentResponse({ description: 'Set' })
  @ApiProblems(invitationNotFound, passwordQueueFull, INVALID_CONTENT)
  accept(@Body() { token, password }: InvitationBody, @Req() request: FastifyRequest): Promise<void> {
    return this.acceptInvitation.accept(token, password, wantedLanguage(request.headers['accept-language']));
  }
}
