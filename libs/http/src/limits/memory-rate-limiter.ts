import { type RateLimit, type RateLimitState, RateLimiter } from './rate-limiter.js';

interface Window {
  count: number;
  readonly endsAt: number;
}

const MAX_KEYS = 200_000;

/** For one process. Keeps about 200,000 keys at most: beyond that, expired windows are removed first and then the oldest ones. */
export class MemoryRateLimiter extends RateLimiter {
  private readonly windows = new Map<string, Window>();

  constructor(private readonly now: () => number = () => performance.now()) {
    super();
  }

  override consume({ key, limit, windowMs }: RateLimit): RateLimitState {
    const now = this.now();
    let window = this.openWindow(key, now);
    if (!window) this.put(key, (window = { count: 0, endsAt: now + windowMs }), now);
    window.count++;
    // Because of rounding, the difference may be slightly larger than the window.
    return { remaining: limit - window.count, resetMs: Math.min(windowMs, window.endsAt - now) };
  }

  override refund(key: string): void {
    const window = this.openWindow(key, this.now());
    if (window && window.count > 0) window.count--;
  }

  override setFlag(key: string, ms: number): void {
    const now = this.now();
    this.put(key, { count: 1, endsAt: now + ms }, now);
  }

  override hasFlag(key: string): boolean {
    return this.openWindow(key, this.now()) !== undefined;
  }

  private openWindow(key: string, now: number): Window | undefined {
    const window = this.windows.get(key);
    return window && window.endsAt > now ? window : undefined;
  }

  private put(key: string, window: Window, now: number): void {
    this.windows.delete(key);
    if (this.windows.size >= MAX_KEYS) this.evict(now);
    this.windows.set(key, window);
  }

  private evict(now: number): void {
    for (const [key, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(key);
    // Removes a tenth at once, so that not every request of a flood has this cost.
    let surplus = this.windows.size - MAX_KEYS * 0.9;
    for (const key of this.windows.keys()) {
      if (surplus-- <= 0) return;
      this.windows.delete(key);
    }
  }
}
