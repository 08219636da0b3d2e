import { createHmac } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, lastValueFrom, of } from 'rxjs';
import { type Actor, reportOf } from '#kernel';
import { ACCESS, type AccessRule } from '../access/access.js';
import { PROBLEM_JSON } from '../problems/problem-filter.js';
import { problemOf } from '../problems/problem.js';
import { setLocation } from '../responses/location.js';
import { type Answer, IDEMPOTENCY_KEY, Replay, isRepeatable, keepsAnswers, normalisedPath, readKey, withoutSecrets } from './answer.js';
import { AnswerBytes, tooManyAnswersKept } from './answer-bytes.js';
import { IdempotencyStore, type KeyedRequest, LEASE_MS } from './idempotency-store.js';

type AuthenticatedRequest = FastifyRequest & { readonly actor?: Actor; readonly principal?: { readonly userId?: string } };

export class FingerprintKey {
  constructor(readonly bytes: Buffer) {}
}

/** Of a row without its answer, with its place in the indexes. */
const ROW_BYTES = 500;

/** For platform administrators, who work outside of tenants. Row-level security separates these answers like a tenant's. */
const NO_TENANT = '00000000-0000-0000-0000-000000000000';

/**
 * Makes every POST of a principal repeatable by its Idempotency-Key: one effect, and the same answer for 24 hours. A request without the
 * header has no extra cost.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly log = new Logger('Idempotency');

  constructor(
    private readonly reflector: Reflector,
    private readonly store: IdempotencyStore,
    private readonly fingerprintKey: FingerprintKey,
    private readonly bytes: AnswerBytes,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const header = request.headers[IDEMPOTENCY_KEY];
    if (header === undefined) return next.handle();
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, [context.getHandler(), context.getClass()]);
    const caller = callerOf(request);
    const route = normalisedPath(request.url.split('?', 1)[0]!);
    if (!caller || !keepsAnswers(request.method, route, rule)) return next.handle();
    const keyed = { ...caller, route, key: readKey(header), fingerprint: this.fingerprintOf(request, route) };
    const handle = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    const reply = http.getResponse<FastifyReply>();
    return this.handleOnce(keyed, request, reply, handle).catch((error: unknown) => {
      if (error instanceof Replay) locate(context, reply, error.answer);
      throw error;
    });
  }

  private async handleOnce(
    keyed: KeyedRequest,
    request: FastifyRequest,
    reply: FastifyReply,
    handle: () => Promise<unknown>,
  ): Promise<Observable<unknown>> {
    const lease = await this.store.lease(keyed);
    if (typeof lease !== 'string') throw new Replay(lease);
    // Before it takes effect: an answer that was not kept could not be repeated.
    if (!this.bytes.hasRoom(keyed.tenantId)) {
      await this.store.release(keyed, lease);
      throw tooManyAnswersKept();
    }
    const renewing = setInterval(() => void this.store.renew(keyed, lease).catch(() => undefined), LEASE_MS / 3).unref();
    try {
      const result = await handle();
      await this.saveAnswer(keyed, lease, {
        status: reply.statusCode,
        contentType: 'application/json; charset=utf-8',
        body: withoutSecrets(result),
      });
      return of(result);
    } catch (error) {
      const problem = problemOf(error, { path: keyed.route, requestId: request.id });
      await this.saveAnswer(keyed, lease, { status: problem.status, contentType: PROBLEM_JSON, body: JSON.stringify(problem) });
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** The route has already done its work: a failure here must not change its answer. */
  private async saveAnswer(keyed: KeyedRequest, lease: string, answer: Answer): Promise<void> {
    try {
      if (isRepeatable(answer.status)) {
        await this.store.save(keyed, lease, answer);
        this.bytes.add(keyed.tenantId, ROW_BYTES + Buffer.byteLength(answer.body ?? ''));
      } else await this.store.release(keyed, lease);
    } catch (error) {
      this.log.warn(`An answer could not be stored: ${reportOf(error)}`);
    }
  }

  private fingerprintOf({ url, body }: FastifyRequest, route: string): string {
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    return createHmac('sha256', this.fingerprintKey.bytes)
      .update(`idempotency ${route}${query} ${JSON.stringify(body ?? null)}`)
      .digest('base64');
  }
}

/** A repeated answer says where its resource is, like the first one. */
function locate(context: ExecutionContext, reply: FastifyReply, { status, body }: Answer): void {
  if (status === 201 && body !== null) setLocation(context, reply, JSON.parse(body));
}

function callerOf({ actor, principal }: AuthenticatedRequest): { readonly tenantId: string; readonly principalId: string } | null {
  if (actor) return { tenantId: actor.tenantId, principalId: actor.id };
  return principal?.userId === undefined ? null : { tenantId: NO_TENANT, principalId: principal.userId };
}
