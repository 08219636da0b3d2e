import { createHash } from 'node:crypto';
import { canonicalJson, invalidContent, type Language, type Problem, type Role } from '#kernel';
import type { RoleScopes } from '../access/grants.js';
import { noMembership, notAMember } from '../errors.js';

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly platformAdmin?: boolean;
  readonly language?: Language | null;
}

/** A person, in all tenants. `Member` holds what applies to one tenant. */
export class User {
  id: string;
  email: string;
  /** From the operator; empty for who was invited by a tenant, which has a name of its own for them. */
  name: string;
  /** argon2id in PHC form; null for a user who has only a wallet or an open invitation. */
  passwordHash: string | null;
  platformAdmin: boolean;
  disabledAt: Date | null;
  createdAt: Date;
  /** Of mails; null: nobody has said. */
  language: Language | null;

  /** @throws DomainError 422 naming email or name */
  static create(input: NewUser, passwordHash: string | null, id: string, at: Date): User {
    const email = normaliseEmail(input.email);
    const problems: Problem[] = [];
    if (!EMAIL.test(email) || email.length > 320)
      problems.push({ pointer: '/email', code: 'wrong_format', message: 'This is not an e-mail address.' });
    if (input.name.length > 200) problems.push({ pointer: '/name', code: 'wrong_length', message: 'A name has at most 200 characters.' });
    if (problems.length > 0) throw invalidContent(problems);
    return Object.assign(new User(), {
      id,
      email,
      name: input.name.trim(),
      passwordHash,
      platformAdmin: input.platformAdmin ?? false,
      disabledAt: null,
      createdAt: at,
      language: input.language ?? null,
    });
  }
}

export const normaliseEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** A longer password costs time and adds no strength. */
export const MAX_PASSWORD_BYTES = 1024;
const MIN_PASSWORD_LENGTH = 8;

/** @throws DomainError 422 with the pointer /password */
export function checkNewPassword(password: string): void {
  const wrong = password.length < MIN_PASSWORD_LENGTH || Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
  if (wrong)
    throw invalidContent([
      {
        pointer: '/password',
        code: 'wrong_length',
        message: `A password has ${MIN_PASSWORD_LENGTH} characters or more, and at most ${MAX_PASSWORD_BYTES} bytes.`,
      },
    ]);
}

/** One active membership of a user, with the data of its tenant that tokens carry. */
export interface Membership {
  readonly tenantId: string;
  readonly slug: string;
  readonly name: string;
  readonly onChainTenantId: string;
  readonly tenantContractAddress: string | null;
  readonly roles: readonly Role[];
  readonly roleScopes: RoleScopes;
  readonly wallet: string | null;
  readonly proposedWallet: string | null;
  /** What this tenant calls the person; null for the name of the user. */
  readonly invitedName: string | null;
  /** The user has signed in to it. A tenant's administrator names whom they like: until then it changes nothing of what the user does. */
  readonly accepted: boolean;
  readonly org: {
    readonly id: string;
    readonly name: string;
    readonly did: string | null;
    readonly lei: string | null;
    readonly gln: string | null;
  } | null;
}

export type Account = { readonly user: User; readonly memberships: readonly Membership[] };

/**
 * Which membership a login is for (docs/spec/api.md#identity).
 * @param asked slug or UUID, as the request named it
 * @returns null where the token has no tenant: several memberships and none named, or a platform administrator without one. Memberships
 * that the user has not accepted count only for who has no other
 */
export function chooseMembership({ user, memberships }: Account, asked: string | null): Membership | null {
  if (asked !== null) return membershipIn(memberships, asked);
  if (memberships.length === 0 && !user.platformAdmin) throw noMembership();
  const accepted = acceptedOf(memberships);
  const counting = accepted.length > 0 || user.platformAdmin ? accepted : memberships;
  return counting.length === 1 ? counting[0]! : null;
}

export const acceptedOf = (memberships: readonly Membership[]): readonly Membership[] => memberships.filter(({ accepted }) => accepted);

/** The account once its user has signed in to this tenant. */
export const joined = (account: Account, active: Membership | null): Account => ({
  ...account,
  memberships: account.memberships.map((one) => (one.tenantId === active?.tenantId ? { ...one, accepted: true } : one)),
});

/** @throws DomainError 403 `not_a_member`, the same for a tenant that does not exist */
export function membershipIn(memberships: readonly Membership[], slugOrId: string): Membership {
  const found = memberships.find(({ slug, tenantId }) => slug === slugOrId || tenantId === slugOrId.toLowerCase());
  if (!found) throw notAMember();
  return found;
}

/** Changes when accepted memberships, their roles or scopes change. */
export function fingerprint(memberships: readonly Membership[]): string {
  const facts = acceptedOf(memberships)
    .map(({ tenantId, roles, roleScopes }) => ({ tenantId, roles, roleScopes }))
    .toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  return createHash('sha256').update(canonicalJson(facts)).digest('base64url');
}
