/** Actions of the audit log. A context that records another kind of event adds its action here. */
export const AUDIT_ACTIONS = [
  'login.succeeded',
  'login.failed',
  'tenant.selected',
  'logout',
  'session.revoked',
  'password.changed',
  'password.link_requested',
  'invitation.accepted',
  'passkey.added',
  'passkey.removed',
  'passkey.clone_suspected',
  'member.added',
  'member.changed',
  'member.removed',
  'member.wallet_confirmed',
  'member.grants_prepared',
  'member.wallet_replacement_prepared',
  'member.recovery_started',
  'account.key_prepared',
  'organisation.owner_prepared',
  'organisation.created',
  'organisation.changed',
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'webhook.created',
  'webhook.changed',
  'webhook.secret_rotated',
  'webhook.resumed',
  'webhook.deleted',
  'process_map.published',
  'tenant.created',
  'tenant.suspended',
  'tenant.tier_changed',
  'link.created',
  'link.changed',
  'link.deleted',
  'passport.evidence_shared',
  'passports.registry_changed',
  'passports.registry_removed',
  'passports.registrations_settled',
  'passport.grant_created',
  'passport.grant_used',
  'passport.grant_withdrawn',
  'passport.reinstated',
  'passport.withdrawn',
  'passports.changed',
  'rules.changed',
  'values.erased',
  'privacy.searched',
  'privacy.exported',
  'document.deleted',
  'epcis_event.deleted',
  'tenant.resumed',
  'sponsorship.changed',
] as const;
type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_ACTOR_KINDS = ['user', 'api_key', 'platform', 'operator', 'grant'] as const;

/**
 * `operator`: the person who runs commands on the host of the service; `platform`: a platform administrator; `grant`: somebody outside of the
 * tenant who was given this access.
 */
export interface AuditActor {
  readonly kind: (typeof AUDIT_ACTOR_KINDS)[number];
  readonly id: string | null;
}

export const OPERATOR: AuditActor = { kind: 'operator', id: null };

export interface AuditEntry {
  readonly action: AuditAction;
  /** Id of the changed object. */
  readonly subject?: string | null;
  /** Never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}
