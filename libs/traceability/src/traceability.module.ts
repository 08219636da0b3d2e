import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '#config';
import * as events from './events.wiring.js';
import { EventSettings } from './ports.js';
import * as projection from './projection.wiring.js';

/**
 * Two halves, wired apart: `events` validates and prepares, `projection` follows the chain and answers what it knows.
 * The composition root imports `forRoot` once, other contexts the class alone: all get the same instance.
 */
@Module({
  controllers: [...events.controllers, ...projection.controllers],
  providers: [...events.providers, ...projection.providers],
  exports: [...events.exported, ...projection.exported],
})
export class TraceabilityModule {
  static forRoot(config: Pick<Config, 'events'>): DynamicModule {
    const settings = Object.assign(new EventSettings(), config.events);
    return {
      module: TraceabilitySettings,
      global: true,
      imports: [TraceabilityModule],
      providers: [{ provide: EventSettings, useValue: settings }],
      exports: [EventSettings, TraceabilityModule],
    };
  }
}

/** Apart from the module itself, which would otherwise exist twice: once with settings and once without. */
@Module({})
class TraceabilitySettings {}
