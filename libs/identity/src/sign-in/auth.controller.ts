import { hash as digest } from 'node:crypto';
import { Body, Controller, Get, Header, Headers, HttpCode, Post, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, ApiProblems, CHAIN_UNAVAILABLE, CurrentActor, LimitAs, RateLimits } from '#http';
import type { Actor } from '#kernel';
import { CurrentBearer, From } from '../access/principal.guard.js';
import type { BearerPrincipal } from '../access/principal.js';
import { normaliseEmail } from '../accounts/account.js';
import {
  bearerRequired,
  invalidCredentials,
  invalidRefreshToken,
  invalidToken,
  memberNotFound,
  noMembership,
  notAMember,
  partialToken,
  passwordQueueFull,
  quotaExceeded,
  refreshTokenReused,
  siweAddressNotEip55,
  siweForeignFactory,
  siweInvalidSignature,
  siweMalformed,
  siweNotCurrent,
  siweUnknownNonce,
  siweWrongChain,
  siweWrongDomain,
  siweWrongUri,
  siweWrongVersion,
  tokenExpired,
  unauthenticated,
  unknownWallet,
  walletNotProposed,
  walletOfSeveral,
  walletTaken,
} from '../errors.js';
import type { Origin } from '../access/device.js';
import { LoginResultView } from '../sessions/login-result.dto.js';
import { DescribeIdentity } from '../sessions/describe-identity.js';
import { LogOut } from '../sessions/log-out.js';
import { RefreshSession } from '../sessions/refresh-session.js';
import { SelectTenant } from '../sessions/open-session.js';
import { SigningKeys } from '../sessions/tokens.client.js';
import {
  IdentityView,
  KEY_SET,
  LoginRequest,
  MembershipView,
  RefreshRequest,
  SignedMessageBody,
  SiweRequest,
  TenantChoice,
} from './auth.dto.js';
import { ConfirmWallet } from './confirm-wallet.js';
import { LogIn } from './log-in.js';
import { SignInWithEthereum } from './sign-in-with-ethereum.js';

const bearerProblems = [unauthenticated, invalidToken, tokenExpired, bearerRequired] as const;

/** What a signed message may be refused for. */
const signatureProblems = [
  siweMalformed,
  siweAddressNotEip55,
  siweWrongVersion,
  siweWrongDomain,
  siweWrongUri,
  siweWrongChain,
  siweNotCurrent,
  siweForeignFactory,
  siweInvalidSignature,
  siweUnknownNonce,
  CHAIN_UNAVAILABLE,
] as const;

/** docs/spec/service.md#authentication-endpoints. */
@ApiTags('Authentication')
@Controller('api/v2/auth')
export class AuthController {
  constructor(
    private readonly logIn: LogIn,
    private readonly selectTenant: SelectTenant,
    private readonly refreshSession: RefreshSession,
    private readonly logOut: LogOut,
    private readonly limits: RateLimits,
  ) {}

  @Post('login')
  @LimitAs('login')
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ summary: 'Log in with e-mail and password' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(invalidCredentials, noMembership, notAMember, passwordQueueFull)
  login(@Body() request: LoginRequest, @From() from: Origin): Promise<LoginResultView> {
    // Unknown accounts count like known ones, so that the limit does not tell which accounts exist.
    const account = digest('sha256', normaliseEmail(request.email), 'base64url');
    return this.limits.login(account, from.ip, () => this.logIn.logIn(request, from));
  }

  @Post('select-tenant')
  @HttpCode(200)
  @Access('partial')
  @ApiOperation({ summary: 'Choose the tenant of a partial token' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(...bearerProblems, notAMember)
  select(@CurrentBearer() caller: BearerPrincipal, @Body() { tenantId }: TenantChoice): Promise<LoginResultView> {
    return this.selectTenant.select(caller, tenantId);
  }

  @Post('switch-tenant')
  @HttpCode(200)
  @Access({ bearerOnly: true })
  @ApiOperation({ summary: 'Continue in another tenant' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(...bearerProblems, partialToken, notAMember)
  switch(@CurrentBearer() caller: BearerPrincipal, @Body() { tenantId }: TenantChoice): Promise<LoginResultView> {
    return this.selectTenant.select(caller, tenantId);
  }

  @Post('refresh')
  @LimitAs('refresh')
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ operationId: 'refreshTokens', summary: 'New tokens for a refresh token; a token that was used before ends the session' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(invalidRefreshToken, refreshTokenReused, noMembership)
  refresh(@Body() { refreshToken }: RefreshRequest): Promise<LoginResultView> {
    return this.refreshSession.refresh(refreshToken);
  }

  @Post('logout')
  @HttpCode(204)
  @Access('partial')
  @ApiOperation({ summary: 'End the session and all its tokens' })
  @ApiNoContentResponse({ description: 'Ended' })
  @ApiProblems(...bearerProblems)
  logout(@CurrentBearer() caller: BearerPrincipal): Promise<void> {
    return this.logOut.logOut(caller.sessionId);
  }
}

/** What the service knows about the caller (docs/spec/service.md#identity-payload). */
@ApiTags('Authentication')
@Controller('api/v2/auth')
export class IdentityController {
  constructor(private readonly identity: DescribeIdentity) {}

  @Get('memberships')
  @Access('partial')
  @ApiOperation({ summary: 'Tenants of the user' })
  @ApiOkResponse({ type: [MembershipView] })
  @ApiProblems(...bearerProblems)
  async memberships(@CurrentBearer() caller: BearerPrincipal): Promise<MembershipView[]> {
    return [...(await this.identity.memberships(caller))];
  }

  @Get('me')
  @Access('partial')
  @ApiOperation({ summary: 'The current identity payload' })
  @ApiOkResponse({ type: IdentityView })
  @ApiProblems(...bearerProblems)
  me(@CurrentBearer() caller: BearerPrincipal): Promise<IdentityView> {
    return this.identity.describe(caller, caller.actor?.tenantId ?? null);
  }
}

/** docs/spec/service.md#siwe. */
@ApiTags('Authentication')
@LimitAs('login')
@Controller('api/v2/auth/siwe')
export class SiweController {
  constructor(private readonly siwe: SignInWithEthereum) {}

  @Get('nonce')
  @Access('public')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'A nonce for one sign-in message, valid for five minutes; a JSON string when the request accepts JSON' })
  @ApiOkResponse({
    description: '32 letters and digits',
    content: { 'text/plain': { schema: { type: 'string' } }, 'application/json': { schema: { type: 'string' } } },
  })
  async nonce(@Headers('accept') accept: string | undefined, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const nonce = await this.siwe.nonce();
    const asJson = /\bapplication\/json\b/i.test(accept ?? '');
    void reply.type(asJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8');
    return asJson ? JSON.stringify(nonce) : nonce;
  }

  @Post()
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ operationId: 'signInWithEthereum', summary: 'Sign in with a signed EIP-4361 message' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(...signatureProblems, unknownWallet, notAMember, walletOfSeveral, walletTaken)
  signIn(@Body() request: SiweRequest, @From() from: Origin): Promise<LoginResultView> {
    return this.siwe.signIn(request, from);
  }
}

@ApiTags('Authentication')
@Controller('api/v2/auth/wallet')
export class OwnWalletController {
  constructor(private readonly confirmWallet: ConfirmWallet) {}

  @Post()
  @HttpCode(204)
  @Access({ bearerOnly: true })
  @ApiOperation({
    operationId: 'confirmWallet',
    summary: 'Confirm the wallet that an administrator proposed for you, by an EIP-4361 message that it signs',
  })
  @ApiNoContentResponse({ description: 'It is your wallet in this tenant now, and can sign in' })
  @ApiProblems(...signatureProblems, memberNotFound, walletNotProposed, walletTaken, quotaExceeded)
  confirm(@CurrentActor() { tenantId, id: userId }: Actor, @Body() body: SignedMessageBody): Promise<void> {
    return this.confirmWallet.confirm({ tenantId, userId }, body);
  }
}

@ApiTags('Authentication')
@Controller('.well-known')
export class KeysController {
  constructor(private readonly keys: SigningKeys) {}

  @Get('jwks.json')
  @Access('public')
  @Header('cache-control', 'public, max-age=300')
  @ApiOperation({ summary: 'Public keys of access tokens (RFC 7517)' })
  @ApiOkResponse({ description: 'A JSON Web Key Set', schema: KEY_SET })
  jwks(): SigningKeys['jwks'] {
    return this.keys.jwks;
  }
}
