import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { emailTaken } from '../domain/errors.js';
import { type NewUser, User, checkNewPassword, normaliseEmail } from '../domain/user.js';
import { PasswordHasher } from '../ports.js';

@Injectable()
export class CreateUser {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly passwords: PasswordHasher,
    private readonly clock: Clock,
  ) {}

  /** @param input.password null for a user who will log in by wallet or by invitation @throws DomainError 422, 409 `email_taken` */
  async create(input: NewUser & { readonly password: string | null }): Promise<Pick<User, 'id' | 'email' | 'name'>> {
    if (input.password !== null) checkNewPassword(input.password);
    const hash = input.password === null ? null : await this.passwords.hash(input.password);
    const user = User.create(input, hash, newId(), this.clock.now());
    await this.unitOfWork.asSystem(async (tx) => {
      const made = await tx.repository(User).createQueryBuilder().insert().values(user).orIgnore().returning('id').execute();
      if ((made.raw as unknown[]).length === 0) throw emailTaken();
    });
    return { id: user.id, email: user.email, name: user.name };
  }

  /** Null for an unknown e-mail. */
  async find(email: string): Promise<Pick<User, 'id' | 'email' | 'name'> | null> {
    const found = await this.unitOfWork.asSystem((tx) => tx.repository(User).findOneBy({ email: normaliseEmail(email) }));
    return found && { id: found.id, email: found.email, name: found.name };
  }
}
