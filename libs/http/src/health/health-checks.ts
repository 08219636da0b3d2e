import { Injectable } from '@nestjs/common';
import { DomainError } from '#kernel';

/** Resolves when the engine does its work; what it gives back (versions, positions) is shown beside the state. */
export type Check = () => Promise<Readonly<Record<string, unknown>> | void>;

export interface CheckOptions {
  /** Without a required one the process is not ready (503); the others only show. */
  readonly required: boolean;
  readonly timeoutMs: number;
}

export interface CheckResult {
  readonly state: 'up' | 'down';
  readonly required: boolean;
  readonly ms: number;
  readonly reason?: string;
  readonly [fact: string]: unknown;
}

export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'unavailable';
  readonly checks: Readonly<Record<string, CheckResult>>;
}

/** The engines of this process by name; each registers its own check. */
@Injectable()
export class HealthChecks {
  private readonly checks = new Map<string, { readonly check: Check } & CheckOptions>();
  private running: Promise<Readiness> | null = null;

  register(name: string, check: Check, options: Partial<CheckOptions> = {}): void {
    this.checks.set(name, { check, required: true, timeoutMs: 2_000, ...options });
  }

  /** Callers at the same moment share one round of checks. */
  readiness(): Promise<Readiness> {
    this.running ??= this.run().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async run(): Promise<Readiness> {
    const results = await Promise.all([...this.checks].map(async ([name, entry]) => [name, await outcome(entry.check, entry)] as const));
    const down = results.filter(([, { state }]) => state === 'down');
    const status = down.length === 0 ? 'ready' : down.some(([, { required }]) => required) ? 'unavailable' : 'degraded';
    return { status, checks: Object.fromEntries(results) };
  }
}

async function outcome(check: Check, { required, timeoutMs }: CheckOptions): Promise<CheckResult> {
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DomainError('timeout', 503, 'no answer in time')), timeoutMs);
    });
    const facts = (await Promise.race([check(), late])) ?? {};
    return { ...facts, state: 'up', required, ms: took() };
  } catch (error) {
    // The page is public: a code of ours says enough, a driver's text would name hosts and users.
    return { state: 'down', required, ms: took(), reason: error instanceof DomainError ? error.code : 'failed' };
  } finally {
    clearTimeout(timer);
  }
}
