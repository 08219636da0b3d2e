import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { emailTaken } from '../errors.js';
import { AccountsQueries } from './accounts.queries.js';
import { PasswordHasher } from './passwords.client.js';
import { type NewUser, User, checkNewPassword, normaliseEmail } from './account.js';

@Injectable()
export class CreateUser {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsQueries,
    private readonly passwords: PasswordHasher,
    private readonly clock: Clock,
  ) {}

  /** @param input.password null for a user who will log in by wallet or by invitation @throws DomainError 422, 409 `email_taken` */
  async create(input: NewUser & { readonly password: string | null }): Promise<Pick<User, 'id' | 'email' | 'name'>> {
    const user = User.create(input, await this.hash(input.password), newId(), this.clock.now());
    await this.unitOfWork.asSystem(async (tx) => {
      if (!(await this.accounts.insertUser(tx, user))) throw emailTaken();
    });
    return { id: user.id, email: user.email, name: user.name };
  }

  /** The user with this e-mail address, created when there is none. */
  async findOrCreate(tx: SystemTx, input: NewUser, hash: string | null): Promise<{ readonly user: User; readonly isNew: boolean }> {
    const fresh = User.create(input, hash, newId(), this.clock.now());
    if (await this.accounts.insertUser(tx, fresh)) return { user: fresh, isNew: true };
    const user = await this.accounts.lockByEmail(tx, fresh.email);
    // The retention deleted a user who never accepted an invitation.
    return user ? { user, isNew: false } : this.findOrCreate(tx, input, hash);
  }

  /** Does nothing for a user who has a password. */
  async setFirstPassword(tx: SystemTx, userId: string, hash: string): Promise<void> {
    await this.accounts.setFirstPassword(tx, userId, hash);
  }

  /** Hashes a new password. Call it before the transaction begins: it takes long, and database connections are few. @throws DomainError 422 */
  async hash(password: string | null | undefined): Promise<string | null> {
    if (password === null || password === undefined) return null;
    checkNewPassword(password);
    return this.passwords.hash(password);
  }

  /** Null for an unknown e-mail. */
  async find(email: string): Promise<Pick<User, 'id' | 'email' | 'name'> | null> {
    const found = await this.unitOfWork.readAsSystem((tx) => this.accounts.userByEmail(tx, normaliseEmail(email)));
    return found && { id: found.id, email: found.email, name: found.name };
  }
}
