import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CurrentActor, INVALID_CONTENT, pageView } from '#http';
import type { Actor } from '#kernel';
import { ChangeMember } from '../../application/change-member.js';
import { ForgetPassword } from '../../application/forget-password.js';
import { InviteMember } from '../../application/invite-member.js';
import { PrepareGrants } from '../../application/prepare-grants.js';
import { ReplaceWallet } from '../../application/replace-wallet.js';
import {
  alreadyMember,
  bearerRequired,
  emailTaken,
  foreignSender,
  lastTenantAdmin,
  memberNotFound,
  noMemberWallet,
  organisationNotFound,
  roleRequired,
  tenantHasNoContract,
  walletTaken,
} from '../../domain/errors.js';
import { senderOf } from '../../domain/sender.js';
import { AdministrationQueries } from '../persistence/administration-queries.js';
import { MemberBody, MemberChange, MemberQuery, ReplacementBody, SenderBody } from './administration.dto.js';
import {
  GrantsView,
  InvitedView,
  MemberPageView,
  MemberView,
  ReplacementView,
  grantsView,
  invitationView,
  memberView,
  replacementView,
} from './administration.view.js';
import { requireScopes } from './request-time.js';

/** People of the tenant, what the service lets them do, and whether the contract agrees (api-decisions §2). */
@ApiTags('Members')
@ApiProblems(bearerRequired, roleRequired)
@Access({ roles: ['TENANT_ADMIN'], bearerOnly: true })
@Controller('api/v2/members')
export class MembersController {
  constructor(
    private readonly queries: AdministrationQueries,
    private readonly inviteMember: InviteMember,
    private readonly forgetPassword: ForgetPassword,
    private readonly changeMember: ChangeMember,
    private readonly prepareGrants: PrepareGrants,
    private readonly replaceWallet: ReplaceWallet,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Members by e-mail, each with what the contract lets its wallet do' })
  @ApiOkResponse({ type: MemberPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: MemberQuery): Promise<MemberPageView> {
    const { status, search = '', page, limit } = query;
    return pageView(await this.queries.members(actor.tenantId, { status, search }, { page, limit }), memberView);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One member' })
  @ApiOkResponse({ type: MemberView })
  @ApiProblems(memberNotFound)
  async get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<MemberView> {
    return memberView(await this.queries.member(actor.tenantId, id));
  }

  @Post()
  @ApiOperation({ summary: 'Add a user of the service, or a new one with a password or a one-time link' })
  @ApiCreatedResponse({ type: InvitedView })
  @ApiProblems(organisationNotFound, alreadyMember, emailTaken, walletTaken, INVALID_CONTENT)
  async invite(@CurrentActor() actor: Actor, @Body() body: MemberBody): Promise<InvitedView> {
    requireScopes(body.roleScopes);
    const { userId, invitation, mailboxToProve } = await this.inviteMember.invite(actor.tenantId, body, actor);
    if (mailboxToProve) this.forgetPassword.ask(mailboxToProve);
    return Object.assign(memberView(await this.queries.member(actor.tenantId, userId)), { invitation: invitationView(invitation) });
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change roles, scopes, wallet or organisation; what is absent stays' })
  @ApiOkResponse({ type: MemberView })
  @ApiProblems(memberNotFound, organisationNotFound, walletTaken, lastTenantAdmin, INVALID_CONTENT)
  async change(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: MemberChange): Promise<MemberView> {
    requireScopes(body.roleScopes);
    await this.changeMember.change(actor.tenantId, id, body, actor);
    return memberView(await this.queries.member(actor.tenantId, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'End a membership, at once; then prepare its grants to take the rights on chain' })
  @ApiNoContentResponse({ description: 'Ended' })
  @ApiProblems(memberNotFound, lastTenantAdmin)
  remove(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    return this.changeMember.remove(actor.tenantId, id, actor);
  }

  @Post(':id/grants/prepare')
  @HttpCode(200)
  @ApiOperation({ summary: 'What to sign so that the contract lets the wallet do what the service lets the member do' })
  @ApiOkResponse({ type: GrantsView })
  @ApiProblems(memberNotFound, noMemberWallet, tenantHasNoContract, foreignSender)
  async grants(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() { from }: SenderBody): Promise<GrantsView> {
    return grantsView(await this.prepareGrants.prepare(actor.tenantId, id, senderOf(actor, from), actor));
  }

  @Post(':id/wallet/replace/prepare')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace a lost wallet: what to sign now, and what the new wallet signs after seven days' })
  @ApiOkResponse({ type: ReplacementView })
  @ApiProblems(memberNotFound, noMemberWallet, walletTaken, tenantHasNoContract, foreignSender)
  async replace(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() { wallet, from }: ReplacementBody,
  ): Promise<ReplacementView> {
    return replacementView(await this.replaceWallet.prepare(actor, id, wallet, senderOf(actor, from)));
  }
}
