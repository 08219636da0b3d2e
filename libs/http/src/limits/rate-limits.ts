import { SetMetadata, applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { LimitsConfig } from '#config';
import { DomainError, EngineUnavailable, refusal } from '#kernel';
import { RateLimiter, type Allowance, type Taken } from './rate-limiter.js';

/** Which count a public route draws on, per address. `none` for what an operator's probes ask. */
export type PublicLimit = 'login' | 'page' | 'refresh' | 'none';
export const PUBLIC_LIMIT = 'trace:public-limit';
/** For a public route; one that says nothing is a `page`. */
export const LimitAs = (limit: PublicLimit): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(PUBLIC_LIMIT, limit), ApiExtension(LIMIT_EXTENSION, limit));
export const LIMIT_EXTENSION = 'x-rate-limit';

export const rateLimited = refusal(
  'rate_limited',
  429,
  (seconds: number) => `Too many requests; try again in ${seconds} s.`,
  (seconds) => ({ retryAfterSeconds: seconds }),
);

const MINUTE = 60_000;
const KNOWN_MS = 30 * 86_400_000;

/** The rules of docs/explanation/limits.md over the counts of a `RateLimiter`. */
export class RateLimits {
  private readonly ofPrincipals = new WeakMap<object, Allowance>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly limits: LimitsConfig,
  ) {}

  /**
   * One more request of a principal. Open where the counts are away: credentials are checked all the same.
   * @param idOf asked once for the same object
   * @throws DomainError 429 `rate_limited`
   */
  principal<P extends { readonly tier?: string }>(principal: P, idOf: (principal: P) => string, reply: FastifyReply): void | Promise<void> {
    let allowance = this.ofPrincipals.get(principal);
    if (!allowance) {
      const limit = (principal.tier !== undefined && this.limits.tiers[principal.tier]?.requestsPerMinute) || this.limits.requestsPerMinute;
      allowance = { key: `principal:${idOf(principal)}`, limit, windowMs: MINUTE };
      this.ofPrincipals.set(principal, allowance);
    }
    return this.count(allowance, 'principal', reply, 'open');
  }

  /** One more request to a public route. Logins are closed where the counts are away. @throws DomainError 429, 503 */
  address(ip: string, kind: PublicLimit, reply: FastifyReply): void | Promise<void> {
    if (kind === 'none') return;
    const limit = { login: this.limits.loginsPerAddress, page: this.limits.publicPerAddress, refresh: this.limits.requestsPerMinute }[kind];
    return this.count({ key: `${kind}:${network(ip)}`, limit, windowMs: MINUTE }, kind, reply, kind === 'login' ? 'closed' : 'open');
  }

  /**
   * Looking at a credential that is not remembered. Refusals count by address. Beyond them one that `costs` a round trip
   * before anything is known of it is not looked at for the rest of the minute; another, whose signature speaks first, goes on
   * where it is good, so that nobody locks out who logs in from the same address. Open where the counts are away.
   * @throws DomainError 429
   */
  async credential<T>(ip: string, costs: boolean, reply: FastifyReply, attempt: () => Promise<T>): Promise<T> {
    const address = network(ip);
    const shut = `refused-too-often:${address}`;
    if (costs && (await isShut(this.limiter, shut))) throw rateLimited(MINUTE / 1_000);
    try {
      return await attempt();
    } catch (error) {
      // One that has expired was good: a forgotten tab is no guesser.
      if (!(error instanceof DomainError) || error.status !== 401 || error.code === 'token_expired') throw error;
      const allowance = { key: `refused:${address}`, limit: this.limits.refusedPerAddress, windowMs: MINUTE };
      const taken = await whenAway(() => this.limiter.take(allowance), null);
      if (taken && taken.remaining < 0) await whenAway(() => this.limiter.remember(shut, taken.resetMs), undefined);
      if (taken) tell(taken, allowance, 'credentials', reply);
      throw error;
    }
  }

  /**
   * A login to an account: failures count, a right password does not. When others have used up the account's failures, an
   * address from which the account was opened in the last 30 days still has failures of its own, so that nobody can lock
   * the owner out from elsewhere.
   * @param account a hash of its name @throws DomainError 429; 503 where the counts are away
   */
  async login<T>(account: string, ip: string, attempt: () => Promise<T>): Promise<T> {
    const known = `known:${account}:${network(ip)}`;
    const isKnown = await this.limiter.isRemembered(known, 'long');
    const key = isKnown ? `account:${account}:${network(ip)}` : `account:${account}`;
    // Counted before the attempt: a hundred parallel guesses are a hundred.
    const taken = await this.limiter.take({ key, limit: this.limits.loginsPerAccount, windowMs: MINUTE }, 'long');
    if (taken.remaining < 0) throw rateLimited(seconds(taken.resetMs));
    try {
      const result = await attempt();
      // Counts that went away meanwhile must not take back a login that was made.
      await whenAway(() => this.limiter.giveBack(key), undefined);
      await whenAway(() => this.limiter.remember(known, KNOWN_MS), undefined);
      return result;
    } catch (error) {
      // Only a wrong password is a guess.
      if (!(error instanceof DomainError) || error.status !== 401) await whenAway(() => this.limiter.giveBack(key), undefined);
      throw error;
    }
  }

  private count(allowance: Allowance, policy: string, reply: FastifyReply, whenAway: 'open' | 'closed'): void | Promise<void> {
    const taken = this.limiter.take(allowance, whenAway === 'closed' ? 'long' : 'short');
    if (!(taken instanceof Promise)) return tell(taken, allowance, policy, reply);
    return taken.then(
      (counted) => tell(counted, allowance, policy, reply),
      (error: unknown) => {
        if (whenAway === 'closed' || !(error instanceof EngineUnavailable)) throw error;
      },
    );
  }
}

const isShut = (limiter: RateLimiter, key: string): Promise<boolean> => whenAway(() => limiter.isRemembered(key), false);

/** @param otherwise what counts while the counts are away */
async function whenAway<T>(ask: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof EngineUnavailable) return otherwise;
    throw error;
  }
}

/** draft-ietf-httpapi-ratelimit-headers-10, §3 and §4: structured fields, the policy named, times in seconds. */
function tell({ remaining, resetMs }: Taken, { limit, windowMs }: Allowance, policy: string, reply: FastifyReply): void {
  const reset = seconds(resetMs);
  void reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${windowMs / 1_000}`);
  void reply.header('ratelimit', `"${policy}";r=${Math.max(0, remaining)};t=${reset}`);
  if (remaining < 0) throw rateLimited(reset);
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

/** Whoever has an IPv6 address has 2^64 of them: the /64 counts. An IPv4 address in IPv6 clothes is the IPv4 address. */
export function network(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return mapped;
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.toLowerCase().split('%', 1)[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
