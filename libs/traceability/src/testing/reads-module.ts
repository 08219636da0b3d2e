import { type CanActivate, type DynamicModule, type ExecutionContext, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ChainHead, ChainProfile } from '#chain';
import { Parties } from '#identity';
import type { Actor } from '#kernel';
import type { UnitOfWork } from '#persistence';
import { databaseProviders } from '#persistence/testing';
import { ProcessMapQueries } from '../process-maps/process-maps.queries.js';
import { readingControllers, readingProviders } from '../traceability.module.js';

class EveryoneIs implements CanActivate {
  constructor(private readonly actorOf: () => Actor) {}

  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getRequest<{ actor: Actor }>().actor = this.actorOf();
    return true;
  }
}

/** The read routes on their own, for a caller whom the test names. */
@Module({})
export class ReadsModule {
  static of(parts: {
    readonly unitOfWork: UnitOfWork;
    readonly parties: Parties;
    readonly actor: () => Actor;
    readonly finalBlock: () => number;
    readonly chainId: number;
  }): DynamicModule {
    const position = () => Promise.resolve({ head: parts.finalBlock(), final: parts.finalBlock() });
    return {
      module: ReadsModule,
      controllers: readingControllers,
      providers: [
        ...databaseProviders(parts.unitOfWork),
        { provide: Parties, useValue: parts.parties },
        ...readingProviders,
        ProcessMapQueries,
        { provide: ChainHead, useValue: { position } },
        { provide: ChainProfile, useValue: { chainId: parts.chainId } },
        { provide: APP_GUARD, useValue: new EveryoneIs(parts.actor) },
      ],
    };
  }
}
