import { setTimeout as wait } from 'node:timers/promises';

export interface SampleOptions {
  /** An answer is good for so long: several scrapers cost what one does. */
  readonly keepMs?: number;
  /** A scrape waits no longer. */
  readonly patienceMs?: number;
}

/** An answer of an engine that may be away: asked for by one scrape at a time, and waited for a moment only. */
export class Sample<T> {
  private kept: { readonly value: T; readonly until: number } | null = null;
  private asking: Promise<T | null> | null = null;

  constructor(
    private readonly ask: () => Promise<T>,
    private readonly options: SampleOptions = {},
  ) {}

  /** Null when it fails or is not there in time: an old answer would hide that. */
  async read(): Promise<T | null> {
    if (this.kept && performance.now() < this.kept.until) return this.kept.value;
    this.asking ??= this.askOnce().finally(() => {
      this.asking = null;
    });
    const patience = new AbortController();
    const late = wait(this.options.patienceMs ?? 1_000, null, { signal: patience.signal }).catch(() => null);
    try {
      return await Promise.race([this.asking, late]);
    } finally {
      patience.abort();
    }
  }

  private async askOnce(): Promise<T | null> {
    try {
      const value = await this.ask();
      this.kept = { value, until: performance.now() + (this.options.keepMs ?? 5_000) };
      return value;
    } catch {
      this.kept = null;
      return null;
    }
  }
}
