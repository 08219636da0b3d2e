import { hash as digest } from 'node:crypto';
import { Body, Controller, Get, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, LimitAs, RateLimits } from '#http';
import { DescribeIdentity } from '../../application/describe-identity.js';
import { LogIn } from '../../application/log-in.js';
import { LogOut } from '../../application/log-out.js';
import { RefreshSession } from '../../application/refresh-session.js';
import { SelectTenant } from '../../application/select-tenant.js';
import {
  bearerRequired,
  invalidCredentials,
  invalidRefreshToken,
  invalidToken,
  noMembership,
  notAMember,
  partialToken,
  passwordQueueFull,
  refreshTokenReused,
  tokenExpired,
  unauthenticated,
} from '../../domain/errors.js';
import { normaliseEmail } from '../../domain/user.js';
import { IdentityView, LoginRequest, LoginResultView, MembershipView, RefreshRequest, TenantChoice } from './auth.dto.js';
import { type BearerPrincipal, CurrentBearer } from './current-principal.js';

const bearerProblems = [unauthenticated, invalidToken, tokenExpired, bearerRequired] as const;

/** Specification §4.1. */
@ApiTags('Authentication')
@Controller('api/v2/auth')
export class AuthController {
  constructor(
    private readonly logIn: LogIn,
    private readonly selectTenant: SelectTenant,
    private readonly refreshSession: RefreshSession,
    private readonly logOut: LogOut,
    private readonly identity: DescribeIdentity,
    private readonly limits: RateLimits,
  ) {}

  @Post('login')
  @LimitAs('login')
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ summary: 'Log in with e-mail and password' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(invalidCredentials, noMembership, notAMember, passwordQueueFull)
  login(@Body() request: LoginRequest, @Ip() ip: string): Promise<LoginResultView> {
    // Unknown accounts count like known ones, so that the limit tells nobody who has one.
    const account = digest('sha256', normaliseEmail(request.email), 'base64url');
    return this.limits.login(account, ip, () => this.logIn.logIn(request, ip));
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
  @ApiOperation({ summary: 'Go on in another tenant' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(...bearerProblems, partialToken, notAMember)
  switch(@CurrentBearer() caller: BearerPrincipal, @Body() { tenantId }: TenantChoice): Promise<LoginResultView> {
    return this.selectTenant.select(caller, tenantId);
  }

  @Post('refresh')
  @LimitAs('refresh')
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ summary: 'New tokens for a refresh token; one that was used before ends the session' })
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
  @ApiOperation({ summary: 'The identity payload, as it stands now' })
  @ApiOkResponse({ type: IdentityView })
  @ApiProblems(...bearerProblems)
  me(@CurrentBearer() caller: BearerPrincipal): Promise<IdentityView> {
    return this.identity.describe(caller, caller.actor?.tenantId ?? null);
  }
}
