import { createHmac } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, lastValueFrom, of } from 'rxjs';
import type { Actor } from '#kernel';
import { ACCESS, type AccessRule } from '../access.js';
import { PROBLEM_JSON } from '../errors/problem-filter.js';
import { problemOf } from '../errors/problem.js';
import { type Answer, IDEMPOTENCY_KEY, Replay, isWorthKeeping, keepsAnswers, readKey, withoutSecrets } from './answer.js';
import { type KeyedRequest, KeptAnswers, LEASE_MS } from './kept-answers.js';

type CallersRequest = FastifyRequest & { readonly actor?: Actor; readonly principal?: { readonly userId?: string } };

export abstract class FingerprintKey {
  abstract readonly bytes: Buffer;
}

/** A platform administrator works outside of tenants; row-level security keeps those answers apart like a tenant's. */
const NO_TENANT = '00000000-0000-0000-0000-000000000000';

/**
 * Makes every POST of a principal repeatable by its Idempotency-Key: one effect, the same answer for 24 hours. A request
 * without the header costs nothing.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly log = new Logger('Idempotency');

  constructor(
    private readonly reflector: Reflector,
    private readonly answers: KeptAnswers,
    private readonly fingerprintKey: FingerprintKey,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<CallersRequest>();
    const header = request.headers[IDEMPOTENCY_KEY];
    if (header === undefined) return next.handle();
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, [context.getHandler(), context.getClass()]);
    const caller = callerOf(request);
    const route = request.url.split('?', 1)[0]!;
    if (!caller || !keepsAnswers(request.method, route, rule)) return next.handle();
    const keyed = { ...caller, route, key: readKey(header), fingerprint: this.fingerprintOf(request) };
    return this.once(keyed, request, http.getResponse<FastifyReply>(), () => lastValueFrom(next.handle(), { defaultValue: undefined }));
  }

  private async once(
    keyed: KeyedRequest,
    request: FastifyRequest,
    reply: FastifyReply,
    act: () => Promise<unknown>,
  ): Promise<Observable<unknown>> {
    const claim = await this.answers.claim(keyed);
    if (typeof claim !== 'string') throw new Replay(claim);
    const renewing = setInterval(() => void this.answers.renew(keyed, claim).catch(() => undefined), LEASE_MS / 3).unref();
    try {
      const result = await act();
      await this.end(keyed, claim, {
        status: reply.statusCode,
        contentType: 'application/json; charset=utf-8',
        body: withoutSecrets(result),
      });
      return of(result);
    } catch (error) {
      const problem = problemOf(error, { path: keyed.route, requestId: request.id });
      await this.end(keyed, claim, { status: problem.status, contentType: PROBLEM_JSON, body: JSON.stringify(problem) });
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** What the route did is done: a failure here must not turn its answer into another one. */
  private async end(keyed: KeyedRequest, claim: string, answer: Answer): Promise<void> {
    try {
      if (isWorthKeeping(answer.status)) await this.answers.keep(keyed, claim, answer);
      else await this.answers.release(keyed, claim);
    } catch (error) {
      this.log.warn(`an answer could not be kept: ${(error as Error).message}`);
    }
  }

  private fingerprintOf({ url, body }: FastifyRequest): string {
    return createHmac('sha256', this.fingerprintKey.bytes)
      .update(`idempotency ${url} ${JSON.stringify(body ?? null)}`)
      .digest('base64');
  }
}

function callerOf({ actor, principal }: CallersRequest): { readonly tenantId: string; readonly principalId: string } | null {
  if (actor) return { tenantId: actor.tenantId, principalId: actor.id };
  return principal?.userId === undefined ? null : { tenantId: NO_TENANT, principalId: principal.userId };
}
