import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { passwordQueueFull } from '../../domain/errors.js';
import { PasswordHasher } from '../../ports.js';

/** OWASP's first choice for argon2id; 19 MiB and some 30 ms each. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const TODAY = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`;

/** A flood of logins takes neither all cores nor all memory: so many at once, so many waiting, the rest is told to come back. */
const MOST_AT_ONCE = Math.max(1, availableParallelism() - 1);
const MOST_WAITING = 200;

@Injectable()
export class Argon2Passwords extends PasswordHasher {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  /** What an unknown user's password is compared with. */
  private decoy: Promise<string> | null = null;

  override hash(password: string): Promise<string> {
    return this.inTurn(() => hash(password, PARAMETERS));
  }

  override async verify(password: string, stored: string | null): Promise<boolean> {
    this.decoy ??= hash('nobody has this password', PARAMETERS);
    const against = stored ?? (await this.decoy);
    const same = await this.inTurn(() => verify(against, password));
    return same && stored !== null;
  }

  override isOutdated(stored: string): boolean {
    return !stored.startsWith(TODAY);
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= MOST_AT_ONCE) {
      if (this.waiting.length >= MOST_WAITING) throw passwordQueueFull();
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
