import { availableParallelism } from 'node:os';
import { finished } from 'node:stream';
import {
  type CallHandler,
  type DynamicModule,
  type ExecutionContext,
  Injectable,
  Module,
  type NestInterceptor,
  SetMetadata,
  applyDecorators,
} from '@nestjs/common';
import { APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, finalize } from 'rxjs';
import type { LimitsConfig } from '#config';
import type { Actor } from '#kernel';
import { type HeavyCaller, HeavyWork } from './heavy-work.js';
import { whenReadSlowly } from './slow-reader.js';

type Query = Readonly<Record<string, unknown>>;

const HEAVY = 'trace:heavy';
export const HEAVY_EXTENSION = 'x-heavy';

/**
 * A route whose requests may take long: reports, exports, wide walks, captures. They share the slots of `HeavyWork`.
 * @param when which requests, by their query as it was sent; all of them by default
 */
export const Heavy = (when: (query: Query) => boolean = () => true): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(HEAVY, when), ApiExtension(HEAVY_EXTENSION, true));

/** A walk that asks for more than the default of a page. */
export const isWideWalk = ({ maxDepth, maxNodes, cursor }: Query): boolean =>
  Number(maxNodes) > 500 || Number(maxDepth) > 10 || cursor !== undefined;

/** A list that is read from its first to its last page, or over everything that a lot was made from. */
export const isWholeList = ({ all, tree }: Query): boolean => all === 'true' || tree === 'true';

/** For routes that everybody may call: together they count as one tenant, and each address as a principal. */
const PUBLIC = 'public';

const callerOf = ({ actor, ip }: { readonly actor?: Actor; readonly ip: string }): HeavyCaller =>
  actor ? { tenant: actor.tenantId, principal: actor.id } : { tenant: PUBLIC, principal: ip };

/** Runs the routes that are `@Heavy` in the order of their tenants. Others pass at once. */
@Injectable()
export class HeavyWorkInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly work: HeavyWork,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const when = this.reflector.getAllAndOverride<((query: Query) => boolean) | undefined>(HEAVY, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<FastifyRequest & { readonly actor?: Actor }>();
    if (!when?.((request.query ?? {}) as Query)) return next.handle();
    return this.inSlot(callerOf(request), context.switchToHttp().getResponse<FastifyReply>(), next);
  }

  private async inSlot(caller: HeavyCaller, reply: FastifyReply, next: CallHandler): Promise<Observable<unknown>> {
    const gone = new AbortController();
    let isSent = false;
    let isHandled = false;
    let leave: (() => void) | undefined;
    // The slot is free again when the work is done and its answer is sent: an export is read while it is sent, and the work of a caller who
    // has gone goes on. Who reads slowly has no slot meanwhile, or a few slow connections would keep all of them.
    const end = (): void => void (isSent && isHandled && leave?.());
    finished(reply.raw, () => {
      isSent = true;
      if (!leave) gone.abort();
      end();
    });
    leave = await this.work.enter(caller, gone.signal);
    return next.handle().pipe(
      finalize(() => {
        isHandled = true;
        end();
        if (!isSent) whenReadSlowly(reply.raw, () => leave?.());
      }),
    );
  }
}

/** Import it once, before the modules whose interceptors should run inside of a slot. */
@Module({})
export class HeavyWorkModule {
  /** @param poolSize connections of this process: heavy requests use half of them at most */
  static forRoot({ heavy }: Pick<LimitsConfig, 'heavy'>, poolSize: number): DynamicModule {
    const half = Math.max(1, Math.floor(poolSize / 2));
    const slots = Math.min(heavy.slots || Math.max(2, availableParallelism()), half);
    return {
      module: HeavyWorkModule,
      providers: [
        { provide: HeavyWork, useValue: new HeavyWork({ ...heavy, slots }) },
        { provide: APP_INTERCEPTOR, useClass: HeavyWorkInterceptor },
      ],
      exports: [HeavyWork],
    };
  }
}
