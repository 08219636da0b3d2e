import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CurrentActor, INVALID_CONTENT, LimitAs, RateLimits, rateLimited } from '#http';
import type { Actor } from '#kernel';
import { CurrentBearer, From } from '../access/principal.guard.js';
import type { BearerPrincipal } from '../access/principal.js';
import {
  bearerRequired,
  invalidToken,
  invitationNotFound,
  lastPasskey,
  partialToken,
  passkeyChallengeUnknown,
  passkeyCloned,
  passkeyInvalid,
  passkeyMalformed,
  passkeyNotFound,
  passkeyNotVerified,
  passkeyOfOtherTenant,
  passkeyTaken,
  passkeyUnknown,
  passkeyUnsupported,
  passkeyWrongDomain,
  passkeyWrongOrigin,
  passwordQueueFull,
  recentSignInRequired,
  tokenExpired,
  tooManyPasskeys,
  unauthenticated,
  wrongPassword,
} from '../errors.js';
import type { Origin } from '../access/device.js';
import { LoginResultView } from '../sessions/login-result.dto.js';
import { AcceptWithPasskey } from './accept-with-passkey.js';
import { AddPasskey, OwnPasskeys } from './add-passkey.js';
import { DeletePasskey } from './delete-passkey.js';
import {
  PasskeyAddedView,
  PasskeyAuthentication,
  PasskeyInvitation,
  PasskeyInvitationOptions,
  PasskeyOptionsView,
  PasskeyRegistration,
  PasskeyRegistrationRequest,
  PasskeysView,
  passkeyView,
} from './passkeys.dto.js';
import { SignInWithPasskey } from './sign-in-with-passkey.js';

const bearerProblems = [unauthenticated, invalidToken, tokenExpired, bearerRequired, partialToken] as const;
const answerProblems = [passkeyMalformed, passkeyChallengeUnknown, passkeyWrongOrigin, passkeyWrongDomain, passkeyNotVerified] as const;
const registrationProblems = [
  ...answerProblems,
  passkeyInvalid,
  passkeyUnsupported,
  passkeyTaken,
  tooManyPasskeys,
  INVALID_CONTENT,
] as const;

const registrant = ({ id: userId, tenantId }: Actor, { sessionId }: BearerPrincipal) => ({ userId, tenantId, sessionId });

/** docs/spec/api.md#passkeys. */
@ApiTags('Authentication')
@Controller('api/v2/auth/passkeys')
export class PasskeysController {
  constructor(
    private readonly addPasskey: AddPasskey,
    private readonly own: OwnPasskeys,
    private readonly deletePasskey: DeletePasskey,
    private readonly limits: RateLimits,
  ) {}

  @Post('registration/options')
  @HttpCode(200)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'passkeyRegistrationOptions', summary: 'What a device needs to make a passkey for you' })
  @ApiOkResponse({ type: PasskeyOptionsView })
  @ApiProblems(...bearerProblems, wrongPassword, recentSignInRequired, tooManyPasskeys, rateLimited, passwordQueueFull)
  async options(
    @CurrentActor() actor: Actor,
    @CurrentBearer() caller: BearerPrincipal,
    @Body() { password }: PasskeyRegistrationRequest,
    @Ip() ip: string,
  ): Promise<PasskeyOptionsView> {
    // A stolen token must not help to guess the password: attempts are counted as at login.
    return { publicKey: await this.limits.login(actor.id, ip, () => this.addPasskey.options(registrant(actor, caller), password)) };
  }

  @Post('registration/verify')
  @HttpCode(200)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'addPasskey', summary: 'Add the passkey that the device made' })
  @ApiOkResponse({ type: PasskeyAddedView })
  @ApiProblems(...bearerProblems, ...registrationProblems)
  async verify(
    @CurrentActor() actor: Actor,
    @CurrentBearer() caller: BearerPrincipal,
    @Body() body: PasskeyRegistration,
  ): Promise<PasskeyAddedView> {
    const { id } = await this.addPasskey.verify(registrant(actor, caller), body);
    return { id };
  }

  @Get()
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'listPasskeys', summary: 'Your passkeys in this tenant' })
  @ApiOkResponse({ type: PasskeysView })
  @ApiProblems(...bearerProblems)
  async list(@CurrentActor() { id: userId, tenantId }: Actor): Promise<PasskeysView> {
    return { data: (await this.own.list({ userId, tenantId })).map(passkeyView) };
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'deletePasskey', summary: 'Delete a passkey of yours; your other sessions end' })
  @ApiNoContentResponse({ description: 'Deleted' })
  @ApiProblems(...bearerProblems, passkeyNotFound, lastPasskey)
  delete(@CurrentActor() actor: Actor, @CurrentBearer() caller: BearerPrincipal, @Param('id') id: string): Promise<void> {
    return this.deletePasskey.delete(registrant(actor, caller), id);
  }
}

@ApiTags('Authentication')
@LimitAs('login')
@Controller('api/v2/auth/passkeys/authentication')
export class PasskeySignInController {
  constructor(private readonly passkeys: SignInWithPasskey) {}

  @Post('options')
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ operationId: 'passkeyAuthenticationOptions', summary: 'What a device needs to sign in with a passkey' })
  @ApiOkResponse({ type: PasskeyOptionsView })
  async options(): Promise<PasskeyOptionsView> {
    return { publicKey: await this.passkeys.options() };
  }

  @Post('verify')
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ operationId: 'signInWithPasskey', summary: 'Sign in with a passkey: login and second factor at once' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(...answerProblems, passkeyInvalid, passkeyUnknown, passkeyCloned, passkeyOfOtherTenant)
  signIn(@Body() request: PasskeyAuthentication, @From() from: Origin): Promise<LoginResultView> {
    return this.passkeys.signIn(request, from);
  }
}

@ApiTags('Authentication')
@LimitAs('login')
@Controller('api/v2/auth/invitations/passkey')
export class PasskeyInvitationsController {
  constructor(
    private readonly acceptWithPasskey: AcceptWithPasskey,
    private readonly passkeys: SignInWithPasskey,
  ) {}

  @Post('options')
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ operationId: 'invitationPasskeyOptions', summary: 'What a device needs to make a passkey for who was invited' })
  @ApiOkResponse({ type: PasskeyOptionsView })
  @ApiProblems(invitationNotFound, tooManyPasskeys)
  async options(@Body() { token }: PasskeyInvitationOptions): Promise<PasskeyOptionsView> {
    return { publicKey: await this.acceptWithPasskey.options(token) };
  }

  @Post('verify')
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ operationId: 'acceptInvitationWithPasskey', summary: 'Accept an invitation with a passkey, and sign in' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(invitationNotFound, passkeyUnknown, ...registrationProblems)
  async accept(@Body() { token, ...answer }: PasskeyInvitation, @From() from: Origin): Promise<LoginResultView> {
    return this.passkeys.open(await this.acceptWithPasskey.accept(token, answer), null, from);
  }
}
