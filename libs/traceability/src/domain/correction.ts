import type { ChainEvent, Obstacle } from './chain-event.js';
import { eventNotLanded, eventStandsInTheWay, eventVoided, notVoidable } from './errors.js';

/** Error reasons of the CBV: there are exactly these two (domain-decisions §2.5). */
export const ERROR_REASONS = ['did_not_occur', 'incorrect_data'] as const;
export type ErrorReason = (typeof ERROR_REASONS)[number];

/** An error declaration as it is asked for. */
export interface ErrorDeclaration {
  readonly reason: ErrorReason;
  /** Events that say what was so instead. */
  readonly correctiveEventIDs: readonly string[];
}

/** @throws DomainError 409 for an event that is not on chain, is voided already, packed or broke up a container, or corrects another one */
export function requireVoidable(event: ChainEvent): void {
  requireStanding(event);
  if (event.supersedes !== null) throw notVoidable('A correction of content is not voided: supersede the event again.');
  if (event.containmentMode === 1) throw notVoidable('A packing is not voided: break the container up.');
  if (event.containmentMode === 2) throw notVoidable('The breaking up of a container is not voided: pack its contents again.');
}

/** @throws DomainError 409 for an event that is not on chain, or is voided */
export function requireStanding(event: ChainEvent): void {
  if (event.status === 'voided') throw eventVoided(event.id);
  if (event.status !== 'recorded' && event.status !== 'superseded') throw eventNotLanded(event.id, event.status);
}

/** Leaf first: what came of an event goes before it. @throws DomainError 409 `event_in_use` */
export function requireLeaf(obstacles: readonly Obstacle[]): void {
  if (obstacles.length > 0) throw eventStandsInTheWay(obstacles);
}

/** Arguments of `voidEvent`: the event word for word as the chain committed to it. */
export const voidArguments = (event: ChainEvent, dataHash: string) => ({
  r: headerOf(event),
  inputTokenIds: event.inputTokenIds,
  consumed_: event.consumed,
  outputs: event.outputs.map(({ tlcHash, assetType, custodian, quantity, expiresAt }) => ({
    tlcHash,
    assetType,
    custodian,
    quantity,
    expiresAt,
  })),
  dataHash,
});

export const headerOf = (event: ChainEvent) => ({
  eventId: event.chainEventId,
  processId: event.processId,
  actor: event.actor,
  mode: event.containmentMode,
  firstOutputId: event.firstOutputId,
  dataHash: event.dataHash,
});
