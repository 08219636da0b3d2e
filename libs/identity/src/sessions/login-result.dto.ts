import { BooleanField, StringField } from '#http';
import type { LoginResult } from './issue-tokens.js';

export class LoginResultView implements LoginResult {
  @StringField({ description: 'Signed JWT v2, for `Authorization: Bearer`' })
  accessToken: string;

  @StringField({ description: 'For /api/v2/auth/refresh; each token can be used once' })
  refreshToken: string;

  @BooleanField({ description: 'Whether the access token has no tenant: call select-tenant' })
  partial: boolean;

  @BooleanField({ description: 'Whether memberships, roles or scopes changed since the last full login' })
  stale: boolean;
}
