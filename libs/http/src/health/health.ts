import { Controller, Get, Global, Injectable, Module, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DomainError } from '#kernel';
import { Access } from '../access/access.js';
import { LimitAs } from '../limits/rate-limits.js';

/** Resolves when the engine works. Its result (versions, positions) is shown next to the state. */
export type Check = () => Promise<Readonly<Record<string, unknown>> | void>;

interface CheckOptions {
  /** Whether no request can be answered without it: then the process is not ready (503). Without another one it is degraded (200). */
  readonly required: boolean;
  /** What does not work without it: a sentence, shown while it is down; it may depend on the reason. */
  readonly impact?: string | ((reason: string) => string);
  readonly timeoutMs: number;
}

export interface CheckResult {
  readonly state: 'up' | 'down';
  readonly required: boolean;
  readonly ms: number;
  readonly reason?: string;
  readonly impact?: string;
  readonly [fact: string]: unknown;
}

interface Readiness {
  readonly status: 'ready' | 'degraded' | 'unavailable';
  /** The engines that are down. */
  readonly down: readonly string[];
  readonly checks: Readonly<Record<string, CheckResult>>;
}

export interface CheckOutcome {
  readonly name: string;
  readonly result: CheckResult;
  /** Of a check that failed, for the operator; else null. */
  readonly error: unknown;
}

type Listener = (outcomes: readonly CheckOutcome[]) => void;

/** The engines of this process by name; each registers its own check. */
@Injectable()
export class HealthChecks {
  private readonly checks = new Map<string, { readonly check: Check } & CheckOptions>();
  private readonly listeners: Listener[] = [];
  private running: Promise<Readiness> | null = null;

  /** Called after each round of checks, with the outcome of each. */
  onRound(listener: Listener): void {
    this.listeners.push(listener);
  }

  register(name: string, check: Check, options: Partial<CheckOptions> = {}): void {
    this.checks.set(name, { check, required: true, timeoutMs: 2_000, ...options });
  }

  /** Simultaneous callers share one round of checks. */
  readiness(): Promise<Readiness> {
    this.running ??= this.run().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async run(): Promise<Readiness> {
    const outcomes = await Promise.all(
      [...this.checks].map(async ([name, entry]) => ({ name, ...(await outcome(entry.check, entry)) }) satisfies CheckOutcome),
    );
    for (const listener of this.listeners) listener(outcomes);
    const results = outcomes.map(({ name, result }) => [name, result] as const);
    const failed = results.filter(([, { state }]) => state === 'down');
    const status = failed.length === 0 ? 'ready' : failed.some(([, { required }]) => required) ? 'unavailable' : 'degraded';
    return { status, down: failed.map(([name]) => name), checks: Object.fromEntries(results) };
  }
}

async function outcome(
  check: Check,
  { required, impact, timeoutMs }: CheckOptions,
): Promise<{ readonly result: CheckResult; readonly error: unknown }> {
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  let timer: NodeJS.Timeout | undefined;
  try {
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DomainError('timeout', 503, 'no answer in time')), timeoutMs);
    });
    const facts = (await Promise.race([check(), timeout])) ?? {};
    return { result: { ...facts, state: 'up', required, ms: elapsed() }, error: null };
  } catch (error) {
    const reason = reasonOf(error);
    const without = typeof impact === 'function' ? impact(reason) : impact;
    return { result: { state: 'down', required, ms: elapsed(), reason, ...(without !== undefined && { impact: without }) }, error };
  } finally {
    clearTimeout(timer);
  }
}

/** By the code of the system or of PostgreSQL. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  '53100': 'no_space',
  EROFS: 'read_only',
  '25006': 'read_only',
};

/** The page is public: it shows our code, because a driver's message could contain host and user names. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''];
    if (reason !== undefined) return reason;
  }
  return error instanceof DomainError ? error.code : 'failed';
}

const ALIVE = { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['alive'] } } };
/** A check also has fields of its engine: versions, positions. */
const CHECK = {
  type: 'object',
  required: ['state', 'required', 'ms'],
  properties: {
    state: { type: 'string', enum: ['up', 'down'] },
    required: { type: 'boolean', description: 'Whether the service cannot answer any request without it' },
    ms: { type: 'integer', description: 'Duration of the check in milliseconds' },
    reason: { type: 'string', description: 'Why it is down: a code' },
    impact: { type: 'string', description: 'What does not work while it is down' },
  },
  additionalProperties: true,
};
const readinessWith = (...states: readonly Readiness['status'][]) => ({
  type: 'object',
  required: ['status', 'down', 'checks'],
  properties: {
    status: { type: 'string', enum: [...states] },
    down: { type: 'array', items: { type: 'string' }, description: 'The engines that are down' },
    checks: { type: 'object', description: 'By the name of the engine', additionalProperties: CHECK },
  },
});

@ApiTags('Health')
@Controller('health')
@Access('public')
@LimitAs('none')
class HealthController {
  constructor(private readonly checks: HealthChecks) {}

  @Get('live')
  @ApiOperation({ operationId: 'checkLiveness', summary: 'Liveness of the process' })
  @ApiOkResponse({ description: 'The process is running', schema: ALIVE })
  live(): { readonly status: 'alive' } {
    return { status: 'alive' };
  }

  @Get('ready')
  @ApiOperation({ operationId: 'checkReadiness', summary: 'Which engines work; 503 only when no request can be answered' })
  @ApiOkResponse({
    description: '`status` is ready, or degraded when an engine is down that only some requests need; `impact` says what does not work',
    schema: readinessWith('ready', 'degraded'),
  })
  @ApiServiceUnavailableResponse({
    description: '`status` is unavailable; `checks` shows which engine is down',
    schema: readinessWith('unavailable'),
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.checks.readiness();
    void reply.code(readiness.status === 'unavailable' ? 503 : 200).header('cache-control', 'no-store');
    return readiness;
  }
}

/** Global, so that an engine's module can register its check without importing this module. */
@Global()
@Module({ controllers: [HealthController], providers: [HealthChecks], exports: [HealthChecks] })
export class HealthModule {}
