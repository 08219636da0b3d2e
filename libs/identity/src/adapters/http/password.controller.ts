import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, INVALID_CONTENT, LimitAs, RateLimits, StringField, rateLimited } from '#http';
import { ChangePassword } from '../../application/change-password.js';
import { ForgetPassword } from '../../application/forget-password.js';
import {
  bearerRequired,
  invalidResetToken,
  invalidToken,
  partialToken,
  passwordQueueFull,
  tokenExpired,
  unauthenticated,
  wrongPassword,
} from '../../domain/errors.js';
import { MAX_PASSWORD_BYTES } from '../../domain/user.js';
import { type BearerPrincipal, CurrentBearer } from './current-principal.js';

export class PasswordChange {
  @StringField({ description: 'The password as it is', maxLength: MAX_PASSWORD_BYTES, format: 'password' })
  currentPassword: string;

  @StringField({ description: 'The new one: 8 characters or more', maxLength: MAX_PASSWORD_BYTES, format: 'password' })
  password: string;
}

export class ForgottenPassword {
  @StringField({ description: 'E-mail address of the user', maxLength: 320 })
  email: string;
}

export class PasswordReset {
  @StringField({ description: 'The token of the link', maxLength: 200 })
  token: string;

  @StringField({ description: 'The new password: 8 characters or more', maxLength: MAX_PASSWORD_BYTES, format: 'password' })
  password: string;
}

/** api-decisions §2: changed and forgotten passwords. */
@ApiTags('Authentication')
@Controller('api/v2/auth/password')
export class PasswordController {
  constructor(
    private readonly passwords: ChangePassword,
    private readonly forgetting: ForgetPassword,
    private readonly limits: RateLimits,
  ) {}

  @Post()
  @HttpCode(204)
  @Access({ bearerOnly: true })
  @ApiOperation({ summary: 'Change your password; your other sessions end' })
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
    INVALID_CONTENT,
  )
  change(@CurrentBearer() caller: BearerPrincipal, @Body() { currentPassword, password }: PasswordChange, @Ip() ip: string): Promise<void> {
    // A stolen token must not become a place to guess the password: guesses are counted as at login.
    return this.limits.login(caller.userId, ip, () => this.passwords.change(caller, currentPassword, password));
  }

  @Post('forgot')
  @HttpCode(202)
  @LimitAs('login')
  @Access('public')
  @ApiOperation({ summary: 'Ask for a one-time link by mail; the answer is the same for an address that nobody has' })
  @ApiAcceptedResponse({ description: 'If somebody has this address, a mail is on its way' })
  forgot(@Body() { email }: ForgottenPassword): void {
    this.forgetting.ask(email);
  }

  @Post('reset')
  @HttpCode(204)
  @LimitAs('login')
  @Access('public')
  @ApiOperation({ summary: 'Set a new password by the one-time link; all sessions end' })
  @ApiNoContentResponse({ description: 'Set' })
  @ApiProblems(invalidResetToken, passwordQueueFull, INVALID_CONTENT)
  reset(@Body() { token, password }: PasswordReset): Promise<void> {
    return this.passwords.reset(token, password);
  }
}
