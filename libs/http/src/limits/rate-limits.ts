import { SetMetadata, applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { LimitsConfig } from '#config';
import { DomainError, EngineUnavailable, refusal } from '#kernel';
import { type RateLimit, type RateLimitState, RateLimiter } from './rate-limiter.js';

/** The counter of a public route, per address. `link` is for redirects: who follows one is counted again where it leads. `none` is for health checks. */
export type PublicLimit = 'login' | 'page' | 'link' | 'refresh' | 'none';
export const PUBLIC_LIMIT = 'trace:public-limit';
/** Sets the counter of a public route; the default is `page`. */
export const LimitAs = (limit: PublicLimit): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(PUBLIC_LIMIT, limit), ApiExtension(LIMIT_EXTENSION, limit));
export const LIMIT_EXTENSION = 'x-rate-limit';

export const rateLimited = refusal(
  'rate_limited',
  429,
  (seconds: number) => `Too many requests. Try again in ${seconds} s.`,
  (seconds) => ({ retryAfterSeconds: seconds }),
);

const MINUTE = 60_000;
const KNOWN_ADDRESS_MS = 30 * 86_400_000;
/** So many networks that an account does not know may use up their own limit before the others of them are refused too. */
const UNKNOWN_NETWORKS = 6;

/** The rules of docs/explanation/limits.md, with the counters of a `RateLimiter`. */
export class RateLimits {
  private readonly principalLimits = new WeakMap<object, RateLimit>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly limits: LimitsConfig,
  ) {}

  /**
   * Counts a request of a principal. Allows it when the counters are unavailable, because its credentials are checked anyway.
   * @param idOf called once per object
   * @throws DomainError 429 `rate_limited`
   */
  principal<P extends { readonly tier?: string }>(principal: P, idOf: (principal: P) => string, reply: FastifyReply): void | Promise<void> {
    let rateLimit = this.principalLimits.get(principal);
    if (!rateLimit) {
      const limit = (principal.tier !== undefined && this.limits.tiers[principal.tier]?.requestsPerMinute) || this.limits.requestsPerMinute;
      rateLimit = { key: `principal:${idOf(principal)}`, limit, windowMs: MINUTE };
      this.principalLimits.set(principal, rateLimit);
    }
    return this.count(rateLimit, 'principal', reply, 'allow');
  }

  /** Counts a request to a public route. Refuses logins when the counters are unavailable. @throws DomainError 429, 503 */
  address(ip: string, kind: PublicLimit, reply: FastifyReply): void | Promise<void> {
    if (kind === 'none') return;
    const { loginsPerAddress: login, publicPerAddress: page, requestsPerMinute: refresh } = this.limits;
    const limit = { login, page, link: page, refresh }[kind];
    return this.count({ key: `${kind}:${network(ip)}`, limit, windowMs: MINUTE }, kind, reply, kind === 'login' ? 'refuse' : 'allow');
  }

  /**
   * Checks a credential that is not cached, and counts refused ones by address. Beyond the limit, a credential that `costs` a round trip to
   * check is refused for the rest of the minute. One with a signature is still checked, so that an attacker cannot lock out other users of
   * the same address. Everything is allowed when the counters are unavailable.
   * @throws DomainError 429
   */
  async credential<T>(ip: string, costs: boolean, reply: FastifyReply, attempt: () => Promise<T>): Promise<T> {
    const address = network(ip);
    const blocked = `refused-too-often:${address}`;
    if (costs && (await withFallback(() => this.limiter.hasFlag(blocked), false))) throw rateLimited(MINUTE / 1_000);
    try {
      return await attempt();
    } catch (error) {
      // An expired token was valid once: a forgotten browser tab is not an attack.
      if (!(error instanceof DomainError) || error.status !== 401 || error.code === 'token_expired') throw error;
      const limit = { key: `refused:${address}`, limit: this.limits.refusedPerAddress, windowMs: MINUTE };
      const state = await withFallback(() => this.limiter.consume(limit), null);
      if (state && state.remaining < 0) await withFallback(() => this.limiter.setFlag(blocked, state.resetMs), undefined);
      if (state) enforce(state, limit, 'credentials', reply);
      throw error;
    }
  }

  /**
   * Runs a login to an account and counts failed ones: those of each network, and those of all networks from which nobody has logged in
   * to the account in the last 30 days. An attacker at one address locks out nobody else, and one with many locks out only networks that
   * the account does not know.
   * @param account a hash of its name @throws DomainError 429; 503 when the counters are unavailable
   */
  async login<T>(account: string, ip: string, attempt: () => Promise<T>): Promise<T> {
    const address = network(ip);
    const known = `known:${account}:${address}`;
    const limit = this.limits.loginsPerAccount;
    const counts = [{ key: `account:${account}:${address}`, limit, windowMs: MINUTE }];
    if (!(await this.limiter.hasFlag(known, 'long'))) {
      counts.push({ key: `account:${account}`, limit: UNKNOWN_NETWORKS * limit, windowMs: MINUTE });
    }
    // Counted before the attempt, so that parallel attempts are limited too.
    for (const count of counts) {
      const state = await this.limiter.consume(count, 'long');
      if (state.remaining < 0) throw rateLimited(seconds(state.resetMs));
    }
    const refund = async (): Promise<void> => {
      for (const { key } of counts) await withFallback(() => this.limiter.refund(key), undefined);
    };
    try {
      const result = await attempt();
      // A successful login stays successful if the counters become unavailable now.
      await refund();
      await withFallback(() => this.limiter.setFlag(known, KNOWN_ADDRESS_MS), undefined);
      return result;
    } catch (error) {
      // Only a wrong password counts as a failed login.
      if (!(error instanceof DomainError) || error.status !== 401) await refund();
      throw error;
    }
  }

  private count(limit: RateLimit, policy: string, reply: FastifyReply, whenUnavailable: 'allow' | 'refuse'): void | Promise<void> {
    const state = this.limiter.consume(limit, whenUnavailable === 'refuse' ? 'long' : 'short');
    if (!(state instanceof Promise)) return enforce(state, limit, policy, reply);
    return state.then(
      (counted) => enforce(counted, limit, policy, reply),
      (error: unknown) => {
        if (whenUnavailable === 'refuse' || !(error instanceof EngineUnavailable)) throw error;
      },
    );
  }
}

/** @param fallback the result when the counters are unavailable */
async function withFallback<T>(call: () => T | Promise<T>, fallback: T): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof EngineUnavailable) return fallback;
    throw error;
  }
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10, §3 and §4 (times in seconds), and refuses requests beyond the limit. */
function enforce({ remaining, resetMs }: RateLimitState, { limit, windowMs }: RateLimit, policy: string, reply: FastifyReply): void {
  const reset = seconds(resetMs);
  void reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${windowMs / 1_000}`);
  void reply.header('ratelimit', `"${policy}";r=${Math.max(0, remaining)};t=${reset}`);
  if (remaining < 0) throw rateLimited(reset);
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

/** A client with an IPv6 address can use all 2^64 of its network, so the /64 is counted. An IPv4-mapped address counts as the IPv4 address. */
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
