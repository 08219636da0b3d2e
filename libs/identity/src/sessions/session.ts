/** How long a session may last (docs/spec/api.md#identity). */
interface SessionLimits {
  readonly idleSeconds: number;
  readonly maxSeconds: number;
}

/** The result of presenting a refresh token. `same`: the token before the newest, within the grace period; its answer is the newest token again. */
export type Presented = 'rotate' | 'same' | 'reused' | 'over';

/** How long the previous refresh token is accepted, for a lost answer or two open tabs (docs/spec/reliability.md#identity-and-access). */
const REFRESH_GRACE_MS = 10_000;

/** One login on one device. Its refresh tokens are numbered by `counter`; only the newest is valid. */
export class Session {
  id: string;
  userId: string;
  /** The tenant that refresh gives a token for; null while none is chosen. */
  activeTenant: string | null;
  counter: number;
  /** Memberships, roles and scopes at the last full login, for the comparison of `stale`. */
  loginFingerprint: string;
  createdAt: Date;
  lastUsedAt: Date;
  rotatedAt: Date;
  revokedAt: Date | null;
  /** EIP-55 of the wallet that opened it; null after a password. It reaches only the memberships that hold the wallet. */
  wallet: string | null;
  /** The tenant of the passkey that opened it; null after anything else. It reaches no other. */
  onlyTenant: string | null;
  /** Of the device where it was opened; null where that said nothing that is known. */
  browser: string | null;
  system: string | null;

  static open(
    base: Pick<Session, 'id' | 'userId' | 'activeTenant' | 'loginFingerprint' | 'wallet'> &
      Partial<Pick<Session, 'onlyTenant' | 'browser' | 'system'>>,
    at: Date,
  ): Session {
    return Object.assign(
      new Session(),
      { onlyTenant: null, browser: null, system: null, ...base },
      { counter: 0, createdAt: at, lastUsedAt: at, rotatedAt: at, revokedAt: null },
    );
  }

  /** @param counter of a refresh token whose MAC was checked */
  present(counter: number, at: Date, limits: SessionLimits): Presented {
    if (this.revokedAt !== null || hasEnded(this, at, limits)) return 'over';
    if (counter === this.counter) return 'rotate';
    return counter === this.counter - 1 && at.getTime() - this.rotatedAt.getTime() <= REFRESH_GRACE_MS ? 'same' : 'reused';
  }

  rotate(at: Date): void {
    this.counter += 1;
    this.rotatedAt = at;
    this.lastUsedAt = at;
  }
}

/** Whether it can no longer be renewed. */
export function hasEnded(
  { createdAt, lastUsedAt }: Pick<Session, 'createdAt' | 'lastUsedAt'>,
  at: Date,
  { idleSeconds, maxSeconds }: SessionLimits,
): boolean {
  const since = (start: Date): number => (at.getTime() - start.getTime()) / 1000;
  return since(lastUsedAt) > idleSeconds || since(createdAt) > maxSeconds;
}
