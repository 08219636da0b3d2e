import { availableParallelism } from 'node:os';
import { type CallHandler, type DynamicModule, type ExecutionContext, Injectable, Module, type NestInterceptor } from '@nestjs/common';
import { APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { type Observable, finalize } from 'rxjs';
import type { LimitsConfig } from '#config';
import { whenAnswered } from './when-answered.js';
import { HeavyWork } from './heavy-work.js';
import { type AuthenticatedRequest, isHeavy, memberOf } from './heavy.js';
import { HeavyBodies, HeldBytes } from './held-bytes.js';
import { PublicWork } from './public-work.js';
import { whenReadSlowly } from './slow-reader.js';

/** Runs the routes that are `@Heavy` in the order of their tenants. Others pass at once. */
@Injectable()
export class HeavyWorkInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly work: HeavyWork,
    private readonly publicWork: PublicWork,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!isHeavy(this.reflector, [context.getHandler(), context.getClass()], request)) return next.handle();
    return this.inSlot(request, context.switchToHttp().getResponse<FastifyReply>(), next);
  }

  private enter({ actor, ip }: AuthenticatedRequest, gone: AbortSignal): Promise<() => void> {
    return actor ? this.work.enter(memberOf(actor), gone) : this.publicWork.enter({ tenant: '', ip }, gone);
  }

  private async inSlot(request: AuthenticatedRequest, reply: FastifyReply, next: CallHandler): Promise<Observable<unknown>> {
    const gone = new AbortController();
    let isSent = false;
    let isHandled = false;
    let leave: (() => void) | undefined;
    // The slot is free again when the work is done and its answer is sent: an export is read while it is sent, and the work of a caller who
    // has gone goes on. Who reads slowly has no slot meanwhile, or a few slow connections would keep all of them.
    const end = (): void => void (isSent && isHandled && leave?.());
    whenAnswered(reply.raw, () => {
      isSent = true;
      if (!leave) gone.abort();
      end();
    });
    leave = await this.enter(request, gone.signal);
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
  /** @param poolSize connections of this process: members use half of them at most, the public a quarter */
  static forRoot({ heavy }: Pick<LimitsConfig, 'heavy'>, poolSize: number): DynamicModule {
    const most = (share: number): number => Math.max(1, Math.floor(poolSize * share));
    const slots = Math.min(heavy.slots || Math.max(2, availableParallelism()), most(1 / 2));
    const publicSlots = Math.min(heavy.publicSlots || slots, most(1 / 4));
    const { waitingPerTenant, maxWaitMs, bodyBytes } = heavy;
    return {
      module: HeavyWorkModule,
      global: true,
      providers: [
        { provide: HeavyWork, useValue: new HeavyWork({ slots, waitingPerTenant, maxWaitMs }) },
        { provide: PublicWork, useValue: new PublicWork({ slots: publicSlots, waitingPerTenant, maxWaitMs }) },
        { provide: HeldBytes, useValue: new HeldBytes(bodyBytes) },
        HeavyBodies,
        { provide: APP_INTERCEPTOR, useClass: HeavyWorkInterceptor },
      ],
      exports: [HeavyWork, PublicWork],
    };
  }
}
