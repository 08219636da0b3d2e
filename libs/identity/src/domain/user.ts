import { type Problem, invalidContent } from '#kernel';

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly platformAdmin?: boolean;
}

/** A person, over all tenants. What is said of a user in one tenant stands in `Member`. */
export class User {
  id: string;
  email: string;
  name: string;
  /** argon2id in PHC form; null for a user who has only a wallet or an open invitation. */
  passwordHash: string | null;
  /**
   * The tenant whose administrator set the password or handed out the link for it: who knows it is not sure to be who reads the
   * e-mail, so it opens that tenant alone. Null once the mailbox is proven, and for whom the operator made.
   */
  passwordFrom: string | null;
  platformAdmin: boolean;
  disabledAt: Date | null;
  createdAt: Date;

  /** @throws DomainError 422 naming email or name */
  static create(input: NewUser, passwordHash: string | null, id: string, at: Date, passwordFrom: string | null = null): User {
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
      passwordFrom,
      platformAdmin: input.platformAdmin ?? false,
      disabledAt: null,
      createdAt: at,
    });
  }
}

export const normaliseEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Longer ones cost time without adding strength. */
export const MAX_PASSWORD_BYTES = 1024;
export const MIN_PASSWORD_LENGTH = 8;

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
