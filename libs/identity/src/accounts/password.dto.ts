import { StringField } from '#http';
import { MAX_PASSWORD_BYTES } from './account.js';

export class PasswordChange {
  @StringField({ description: 'The current password', maxLength: MAX_PASSWORD_BYTES, format: 'password' })
  currentPassword: string;

  @StringField({ description: 'The new password: 8 characters or more', maxLength: MAX_PASSWORD_BYTES, format: 'password' })
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
