import { BooleanField, JsonObjectField, ObjectListField, StringField } from '#http';
import { MAX_PASSWORD_BYTES } from '../accounts/account.js';
import type { Passkey } from './passkey.js';
import type { RegistrationAnswer } from './register-passkey.js';

const TOKEN = 'The token of the invitation';

export class PasskeyRegistrationRequest {
  @StringField({
    description: 'Your password, if you have one; without one you must have signed in within the last ten minutes',
    optional: true,
    maxLength: MAX_PASSWORD_BYTES,
    format: 'password',
  })
  password?: string;
}

export class PasskeyOptionsView {
  @JsonObjectField({ description: 'For `navigator.credentials` (WebAuthn JSON): `PublicKeyCredential.parse…OptionsFromJSON`' })
  publicKey: object;
}

export class PasskeyRegistration implements RegistrationAnswer {
  @JsonObjectField({ description: 'The credential that `navigator.credentials.create` returned, as JSON' })
  response: Record<string, unknown>;

  @StringField({ description: 'What you call it, such as the device', maxLength: 100 })
  name: string;
}

export class PasskeyInvitationOptions {
  @StringField({ description: TOKEN, maxLength: 200 })
  token: string;
}

export class PasskeyInvitation extends PasskeyRegistration {
  @StringField({ description: TOKEN, maxLength: 200 })
  token: string;
}

export class PasskeyAuthentication {
  @JsonObjectField({ description: 'The credential that `navigator.credentials.get` returned, as JSON' })
  response: Record<string, unknown>;

  @StringField({ description: 'Slug or UUID of the tenant; a passkey of another one is refused', optional: true, maxLength: 64 })
  tenantId?: string;
}

export class PasskeyAddedView {
  @StringField({ description: 'Id of the credential, base64url' })
  id: string;
}

export class PasskeyView extends PasskeyAddedView {
  @StringField({ description: 'What you call it' })
  name: string;

  @BooleanField({ description: 'Whether its maker keeps a copy, so that it survives the device' })
  backedUp: boolean;

  @StringField({ description: 'When it was added', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'Last sign-in with it', nullable: true, format: 'date-time' })
  lastUsedAt: string | null;
}

export class PasskeysView {
  @ObjectListField(() => PasskeyView, { description: 'Your passkeys in this tenant, oldest first' })
  data: readonly PasskeyView[];
}

export const passkeyView = ({ id, name, backedUp, createdAt, lastUsedAt }: Passkey): PasskeyView => ({
  id,
  name,
  backedUp,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});
