/** How long a session may go on (api-decisions §2). */
export interface SessionLimits {
  readonly idleSeconds: number;
  readonly maxSeconds: number;
}

/** What presenting a refresh token comes to. `same`: the one before the current, within the grace; it gets the current again. */
export type Presented = 'rotate' | 'same' | 'reused' | 'over';

/** A lost answer, or two tabs at once: so long the previous refresh token still counts (reliability-decisions §3.2). */
export const REFRESH_GRACE_MS = 10_000;

/** One login on one device. Its refresh tokens are numbered by `counter`; only the newest is good. */
export class Session {
  id: string;
  userId: string;
  /** The tenant that refresh gives a token for; null while none is chosen. */
  activeTenant: string | null;
  counter: number;
  /** Memberships, roles and scopes at the last full login: what `stale` compares with. */
  loginFingerprint: string;
  createdAt: Date;
  lastUsedAt: Date;
  rotatedAt: Date;
  revokedAt: Date | null;
  /** EIP-55 of the wallet that opened it; null after a password. It reaches only the memberships that hold the wallet. */
  wallet: string | null;

  static open(
    userId: string,
    activeTenant: string | null,
    loginFingerprint: string,
    id: string,
    at: Date,
    wallet: string | null = null,
  ): Session {
    return Object.assign(new Session(), {
      id,
      userId,
      activeTenant,
      counter: 0,
      loginFingerprint,
      createdAt: at,
      lastUsedAt: at,
      rotatedAt: at,
      revokedAt: null,
      wallet,
    });
  }

  /** @param counter of a refresh token whose authenticity is proven */
  present(counter: number, at: Date, limits: SessionLimits): Presented {
    if (this.revokedAt !== null || this.hasEnded(at, limits)) return 'over';
    if (counter === this.counter) return 'rotate';
    return counter === this.counter - 1 && at.getTime() - this.rotatedAt.getTime() <= REFRESH_GRACE_MS ? 'same' : 'reused';
  }

  rotate(at: Date): void {
    this.counter += 1;
    this.rotatedAt = at;
    this.lastUsedAt = at;
  }

  private hasEnded(at: Date, { idleSeconds, maxSeconds }: SessionLimits): boolean {
    const since = (start: Date): number => (at.getTime() - start.getTime()) / 1000;
    return since(this.lastUsedAt) > idleSeconds || since(this.createdAt) > maxSeconds;
  }
}
