import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CurrentActor, INVALID_CONTENT } from '#http';
import { type Actor, beyondOwnGrants, foreignSender, roleRequired, senderOf } from '#kernel';
import { Prepares } from '#prepare';
import {
  accountKeyTaken,
  accountKeyUnknown,
  anotherAdminRequired,
  bearerRequired,
  lastAccountKey,
  memberNotFound,
  noAccountFactory,
  noMemberWallet,
  noNewPasskey,
  noOrganisationAccount,
  noPasskeyAccount,
  notYourOrganisation,
  organisationAccountExists,
  organisationNotFound,
  passkeyNotFound,
  quotaExceeded,
  removalNotReady,
  tenantHasNoContract,
  tooManyAccountKeys,
  walletTaken,
} from '../errors.js';
import { ReplacementView, SenderBody, replacementView } from '../members/members.dto.js';
import { PrepareGrants } from '../members/prepare-grants.js';
import { OpenOrganisationAccount, ReadOrganisationAccount } from './open-organisation-account.js';
import {
  AccountCallsView,
  AccountKeyBody,
  KeyIdBody,
  MemberRemovalBody,
  ApprovalsView,
  OrganisationAccountBody,
  OwnerChangeBody,
  PasskeyAccountView,
  accountView,
  approvalsView,
  callsView,
} from './passkey-accounts.dto.js';
import { PrepareKey, ReadOwnAccount } from './prepare-key.js';
import { PrepareApprovals, PrepareOwner, requireOwnOrganisation } from './prepare-organisation-account.js';
import { PrepareRecovery, RecoverMember } from './recover-member.js';

const OWN = { roles: ['ADMIN', 'TENANT_ADMIN'] } as const;
const recoveryProblems = [beyondOwnGrants, memberNotFound, noMemberWallet, anotherAdminRequired] as const;
const registrant = ({ id: userId, tenantId }: Actor) => ({ userId, tenantId });

/** docs/spec/api.md#accounts-of-passkeys. */
@ApiTags('Authentication')
@Controller('api/v2/auth/account')
export class OwnAccountController {
  constructor(
    private readonly own: ReadOwnAccount,
    private readonly prepareKey: PrepareKey,
  ) {}

  @Get()
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'getOwnAccount', summary: 'The account on chain for which your passkeys sign' })
  @ApiOkResponse({ type: PasskeyAccountView })
  @ApiProblems(bearerRequired, noPasskeyAccount)
  async get(@CurrentActor() actor: Actor): Promise<PasskeyAccountView> {
    return accountView(await this.own.read(registrant(actor)));
  }

  @Post('keys/prepare')
  @HttpCode(200)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'prepareAccountKey', summary: 'Let another passkey of yours sign: what a passkey that signs already signs' })
  @ApiOkResponse({ type: AccountCallsView })
  @ApiProblems(bearerRequired, noPasskeyAccount, passkeyNotFound, accountKeyTaken, tooManyAccountKeys)
  async add(@CurrentActor() actor: Actor, @Body() { passkeyId }: AccountKeyBody): Promise<AccountCallsView> {
    return callsView(await this.prepareKey.add(registrant(actor), passkeyId));
  }

  @Post('keys/removal/prepare')
  @HttpCode(200)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'prepareAccountKeyRemoval', summary: 'Let a key sign no longer; never the last one' })
  @ApiOkResponse({ type: AccountCallsView })
  @ApiProblems(bearerRequired, noPasskeyAccount, accountKeyUnknown, lastAccountKey)
  async remove(@CurrentActor() actor: Actor, @Body() { keyId }: KeyIdBody): Promise<AccountCallsView> {
    return callsView(await this.prepareKey.remove(registrant(actor), keyId.toLowerCase()));
  }
}

/** The account that holds an organisation's lots. */
@ApiTags('Organisations')
@Controller('api/v1/organisations')
export class OrganisationAccountController {
  constructor(
    private readonly openAccount: OpenOrganisationAccount,
    private readonly account: ReadOrganisationAccount,
    private readonly prepareOwner: PrepareOwner,
    private readonly approvals: PrepareApprovals,
  ) {}

  @Post(':id/account')
  @HttpCode(200)
  @Access(OWN)
  @ApiOperation({
    operationId: 'openOrganisationAccount',
    summary: 'An account that holds the lots of the organisation; the passkeys of its owners sign',
  })
  @ApiOkResponse({ type: PasskeyAccountView })
  @ApiProblems(
    ...[roleRequired, notYourOrganisation, beyondOwnGrants, organisationNotFound, noAccountFactory],
    ...[organisationAccountExists, walletTaken, quotaExceeded, INVALID_CONTENT],
  )
  async open(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() { owners }: OrganisationAccountBody,
  ): Promise<PasskeyAccountView> {
    await this.openAccount.open(actor, id, owners);
    return accountView(await this.account.read({ tenantId: actor.tenantId, orgId: id }));
  }

  @Get(':id/account')
  @Access('member')
  @ApiOperation({ operationId: 'getOrganisationAccount', summary: 'The account of the organisation, and who signs for it' })
  @ApiOkResponse({ type: PasskeyAccountView })
  @ApiProblems(notYourOrganisation, beyondOwnGrants, noOrganisationAccount)
  async get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<PasskeyAccountView> {
    requireOwnOrganisation(actor, id);
    return accountView(await this.account.read({ tenantId: actor.tenantId, orgId: id }));
  }

  @Post(':id/account/owners/prepare')
  @HttpCode(200)
  @Access(OWN)
  @ApiOperation({
    operationId: 'prepareOrganisationOwner',
    summary: 'Add an owner, propose or veto a removal, or remove one: what an owner signs',
  })
  @ApiOkResponse({ type: AccountCallsView })
  @ApiProblems(
    ...[roleRequired, notYourOrganisation, beyondOwnGrants, noOrganisationAccount, INVALID_CONTENT],
    ...[lastAccountKey, tooManyAccountKeys, removalNotReady],
  )
  async owner(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() { userId, change }: OwnerChangeBody,
  ): Promise<AccountCallsView> {
    return callsView(await this.prepareOwner.prepare(actor, id, userId, change));
  }

  @Post(':id/account/approvals/prepare')
  @HttpCode(200)
  @Access(OWN)
  @ApiOperation({
    operationId: 'prepareOrganisationApprovals',
    summary: 'What an owner signs so that the members of the organisation use its lots, and nobody else',
  })
  @ApiOkResponse({ type: ApprovalsView })
  @ApiProblems(roleRequired, notYourOrganisation, beyondOwnGrants, noOrganisationAccount, tenantHasNoContract)
  async approve(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<ApprovalsView> {
    return approvalsView(await this.approvals.prepare(actor, id));
  }

  @Post(':id/account/removal/prepare')
  @Prepares(PrepareApprovals)
  @ApiOperation({
    operationId: 'prepareOrganisationMemberRemoval',
    summary: "Take a member's approval and roles away: what an owner and an administrator sign",
  })
  @ApiOkResponse({ type: ApprovalsView })
  @ApiProblems(
    ...[roleRequired, notYourOrganisation, beyondOwnGrants, noOrganisationAccount, INVALID_CONTENT],
    ...[tenantHasNoContract, foreignSender],
  )
  async remove(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() { userId, from }: MemberRemovalBody): Promise<ApprovalsView> {
    return approvalsView(await this.approvals.prepareRemoval(actor, id, userId, senderOf(actor, from)));
  }
}

/** A member who lost all passkeys. */
@ApiTags('Members')
@ApiProblems(bearerRequired, roleRequired)
@Controller('api/v2/members')
export class RecoveryController {
  constructor(
    private readonly recoverMember: RecoverMember,
    private readonly prepareRecovery: PrepareRecovery,
  ) {}

  @Post(':id/recovery')
  @HttpCode(204)
  @Access({ roles: ['TENANT_ADMIN'], bearerOnly: true })
  @ApiOperation({
    operationId: 'startMemberRecovery',
    summary: 'Passkeys, sessions and wallet of the member sign in no longer; a link to a new passkey is mailed',
  })
  @ApiNoContentResponse({ description: 'Started' })
  @ApiProblems(...recoveryProblems)
  start(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    return this.recoverMember.start(actor, id);
  }

  @Post(':id/recovery/prepare')
  @Prepares(PrepareGrants)
  @ApiOperation({
    operationId: 'prepareMemberRecovery',
    summary: "Move the wallet to an account of the member's new passkeys: what to sign now, and after seven days",
  })
  @ApiOkResponse({ type: ReplacementView })
  @ApiProblems(...recoveryProblems, noAccountFactory, noNewPasskey, walletTaken, quotaExceeded, tenantHasNoContract, foreignSender)
  async prepare(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() { from }: SenderBody): Promise<ReplacementView> {
    return replacementView(await this.prepareRecovery.prepare(actor, id, senderOf(actor, from)));
  }
}
