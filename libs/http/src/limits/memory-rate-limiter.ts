import { RateLimiter, type Allowance, type Taken } from './rate-limiter.js';

interface Window {
  count: number;
  readonly endsAt: number;
}

const MAX_KEYS = 200_000;

/** For one process. At most some 200,000 keys: then those whose window is over go first, and after them the oldest. */
export class MemoryRateLimiter extends RateLimiter {
  private readonly windows = new Map<string, Window>();

  constructor(private readonly now: () => number = () => performance.now()) {
    super();
  }

  override take({ key, limit, windowMs }: Allowance): Taken {
    const now = this.now();
    let window = this.open(key, now);
    if (!window) this.put(key, (window = { count: 0, endsAt: now + windowMs }), now);
    window.count++;
    // Sums of fractions may come out a hair above the window.
    return { remaining: limit - window.count, resetMs: Math.min(windowMs, window.endsAt - now) };
  }

  override giveBack(key: string): void {
    const window = this.open(key, this.now());
    if (window && window.count > 0) window.count--;
  }

  override remember(key: string, ms: number): void {
    const now = this.now();
    this.put(key, { count: 1, endsAt: now + ms }, now);
  }

  override isRemembered(key: string): boolean {
    return this.open(key, this.now()) !== undefined;
  }

  private open(key: string, now: number): Window | undefined {
    const window = this.windows.get(key);
    return window && window.endsAt > now ? window : undefined;
  }

  private put(key: string, window: Window, now: number): void {
    this.windows.delete(key);
    if (this.windows.size >= MAX_KEYS) this.makeRoom(now);
    this.windows.set(key, window);
  }

  private makeRoom(now: number): void {
    for (const [key, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(key);
    // A tenth at once, so that the sweep is not paid by every request of a flood.
    let surplus = this.windows.size - MAX_KEYS * 0.9;
    for (const key of this.windows.keys()) {
      if (surplus-- <= 0) return;
      this.windows.delete(key);
    }
  }
}
