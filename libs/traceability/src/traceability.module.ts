import { Module } from '@nestjs/common';
import * as events from './events.wiring.js';
import * as projection from './projection.wiring.js';

/** Two halves, wired apart: `events` validates and prepares, `projection` follows the chain and answers what it knows. */
@Module({
  controllers: [...events.controllers, ...projection.controllers],
  providers: [...events.providers, ...projection.providers],
  exports: [...events.exported, ...projection.exported],
})
export class TraceabilityModule {}
