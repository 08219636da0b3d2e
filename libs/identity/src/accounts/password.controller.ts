import { Body, Controller, HttpCode, Ip, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Access, ApiProblems, INVALID_CONTENT, LimitAs, QUEUE_UNAVAILABLE, RateLimits, rateLimited } from '#http';
import { languageOf } from '#kernel';
import { ChangePassword } from './change-password.js';
import { RequestPasswordReset } from './request-password-reset.js';
import {
  bearerRequired,
  invalidResetToken,
  invalidToken,
  partialToken,
  passwordQueueFull,
  tokenExpired,
  unauthenticated,
  wrongPassword,
} from '../errors.js';
import { ForgottenPassword, PasswordChange, PasswordReset } from './password.dto.js';
import { CurrentBearer } from '../access/principal.guard.js';
import type { BearerPrincipal } from '../access/principal.js';

/** Changed and forgotten passwords (docs/spec/api.md#identity). */
@ApiTags('Authentication')
@Controller('api/v2/auth/password')
export class PasswordController {
  constructor(
    private readonly passwords: ChangePassword,
    private readonly resets: RequestPasswordReset,
    private readonly limits: RateLimits,
  ) {}

  @Post()
  @HttpCode(204)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'changePassword', summary: 'Change your password; your other sessions end' })
  @ApiNoContentResponse({ description: 'Changed' })
  @ApiProblems(
    unauthenticated,
    invalidToken,
    tokenExpired,
    wrongPassword,
    bearerRequired,
    partialToken,
    rateLimited,
    passwordQueueFull,
    QUEUE_UNAVAILABLE,
    INVALID_CONTENT,
  )
  change(
    @CurrentBearer() caller: BearerPrincipal,
    @Body() { currentPassword, password }: PasswordChange,
    @Ip() ip: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    // A stolen token must not help to guess the password: attempts are counted as at login.
    return this.limits.login(caller.userId, ip, () =>
      this.passwords.change(caller, currentPassword, password, languageOf(request.headers['accept-language'])),
    );
  }

  @Post('forgot')
  @HttpCode(202)
  @LimitAs('login')
  @Access('public')
  @ApiOperation({ summary: 'Request a one-time link by mail; the answer is the same for an unknown address' })
  @ApiAcceptedResponse({ description: 'If a user has this address, a mail is on its way' })
  forgot(@Body() { email }: ForgottenPassword, @Req() request: FastifyRequest): void {
    this.resets.request(email, languageOf(request.headers['accept-language']));
  }

  @Post('reset')
  @HttpCode(204)
  @LimitAs('login')
  @Access('public')
  @ApiOperation({ summary: 'Set a new password by the one-time link; all sessions end' })
  @ApiNoContentResponse({ description: 'Set' })
  @ApiProblems(invalidResetToken, passwordQueueFull, INVALID_CONTENT)
  reset(@Body() { token, password }: PasswordReset, @Req() request: FastifyRequest): Promise<void> {
    return this.passwords.reset(token, password, languageOf(request.headers['accept-language']));
  }
}
