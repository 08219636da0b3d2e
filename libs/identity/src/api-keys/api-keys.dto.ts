import { IntegerField, JsonObjectField, ObjectListField, PageView, StringField, StringListField } from '#http';
import { ROLES, type Role } from '#kernel';
import type { RoleScopes } from '../access/grants.js';
import type { ApiKey } from './api-key.js';

const WALLET = 'EIP-55 address';

export class ApiKeyBody {
  @StringField({ description: 'What it is for', minLength: 1, maxLength: 200 })
  name: string;

  @StringListField({ description: 'Roles of the key', enum: ROLES, minItems: 1, maxItems: ROLES.length })
  roles: Role[];

  @JsonObjectField({
    description:
      'Process keys or globs by role (`{"OPERATOR": ["wool_*"]}`); a role that is absent covers every process, `[]` covers none. Never beyond your own',
    optional: true,
  })
  roleScopes?: RoleScopes;

  @StringField({ description: `${WALLET} that the key prepares for`, optional: true, nullable: true, maxLength: 42 })
  wallet?: string | null;

  @StringField({ description: 'Organisation that the key acts for', optional: true, nullable: true, maxLength: 36 })
  orgId?: string | null;

  @StringField({ description: 'ISO 8601; without it the key is valid until it is revoked', optional: true, nullable: true, maxLength: 40 })
  expiresAt?: string | null;
}

export class RotateBody {
  @IntegerField({
    description: 'Seconds that the old secret stays valid; 0 for a leaked secret',
    min: 0,
    max: 2_592_000,
    optional: true,
    default: 0,
  })
  overlapSeconds: number = 0;
}

export class ApiKeyView {
  @StringField({ description: 'Key id' })
  id: string;

  @StringField({ description: 'What it is for' })
  name: string;

  @StringField({ description: 'The start of its text, to recognise it by' })
  prefix: string;

  @StringListField({ description: 'Roles', enum: ROLES })
  roles: readonly Role[];

  @JsonObjectField({ description: 'Process keys or globs by role; a role that is absent covers every process' })
  roleScopes: RoleScopes;

  @StringField({ description: WALLET, nullable: true })
  wallet: string | null;

  @StringField({ description: 'Organisation', nullable: true })
  orgId: string | null;

  @StringField({ description: 'Valid until', format: 'date-time', nullable: true })
  expiresAt: string | null;

  @StringField({ description: 'Last use, to the minute', format: 'date-time', nullable: true })
  lastUsedAt: string | null;

  @StringField({ description: 'Created at', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'Revoked at', format: 'date-time', nullable: true })
  revokedAt: string | null;
}

export class ApiKeySecretView extends ApiKeyView {
  @StringField({ description: 'For `X-API-Key`; shown once, so absent in a repeated answer', optional: true })
  secret?: string;
}

export class ApiKeyPageView extends PageView {
  @ObjectListField(() => ApiKeyView, { description: 'Items of the page' })
  data: readonly ApiKeyView[];
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const apiKeyView = (key: ApiKey): ApiKeyView => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  roles: key.roles,
  roleScopes: key.roleScopes,
  wallet: key.wallet,
  orgId: key.orgId,
  expiresAt: iso(key.expiresAt),
  lastUsedAt: iso(key.lastUsedAt),
  createdAt: key.createdAt.toISOString(),
  revokedAt: iso(key.revokedAt),
});
