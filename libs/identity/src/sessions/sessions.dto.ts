import { BooleanField, EnumField, ObjectListField, StringField } from '#http';
import type { OwnSession } from './sessions.queries.js';

const FACTORS = ['password', 'wallet', 'passkey'] as const;

export class SessionView {
  @StringField({ description: 'Id of the session' })
  id: string;

  @BooleanField({ description: 'Whether it is the session of this request' })
  current: boolean;

  @EnumField(FACTORS, { description: 'How it was opened' })
  openedBy: (typeof FACTORS)[number];

  @StringField({ description: 'EIP-55 address of the wallet that opened it', nullable: true })
  wallet: string | null;

  @StringField({ description: 'Name of the tenant that it is in; null while none is chosen', nullable: true })
  tenant: string | null;

  @StringField({ description: 'Browser or program that opened it, as people call it', nullable: true, example: 'Firefox' })
  browser: string | null;

  @StringField({ description: 'System of the device', nullable: true, example: 'Android' })
  system: string | null;

  @StringField({ description: 'When it was opened', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'When its tokens were last renewed', format: 'date-time' })
  lastUsedAt: string;
}

export class SessionsView {
  @ObjectListField(() => SessionView, { description: 'Your sessions that have not ended, the one last used first' })
  data: readonly SessionView[];
}

export const sessionView = (session: OwnSession, current: string): SessionView => ({
  id: session.id,
  current: session.id === current,
  openedBy: session.wallet !== null ? 'wallet' : session.onlyTenant !== null ? 'passkey' : 'password',
  wallet: session.wallet,
  tenant: session.tenantName,
  browser: session.browser,
  system: session.system,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
});
