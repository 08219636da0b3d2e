import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { passwordQueueFull } from '../errors.js';

/** OWASP's first choice for argon2id; 19 MiB and some 30 ms each. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const TODAY = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`;

/** Limits of password work, so that a flood of logins takes neither all cores nor all memory. Further callers must try again. */
const MOST_AT_ONCE = Math.max(1, availableParallelism() - 1);
const MOST_WAITING = 200;

@Injectable()
export class PasswordHasher {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  /** The hash that the password of an unknown user is compared with. */
  private dummy: Promise<string> | null = null;

  /** argon2id in PHC form. @throws DomainError 503 `too_many_logins` when too many are waiting */
  hash(password: string): Promise<string> {
    return this.queued(() => hash(password, PARAMETERS));
  }

  /** Takes as long for a null hash (unknown user) as for a real one. @throws DomainError 503 as `hash` */
  async verify(password: string, stored: string | null): Promise<boolean> {
    this.dummy ??= hash('nobody has this password', PARAMETERS);
    const against = stored ?? (await this.dummy);
    const same = await this.queued(() => verify(against, password));
    return same && stored !== null;
  }

  /** Whether it was made with weaker parameters than today's. */
  isOutdated(stored: string): boolean {
    return !stored.startsWith(TODAY);
  }

  private async queued<T>(work: () => Promise<T>): Promise<T> {
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
