import type { CommittedRecord } from '../events/event-record.js';
import type { ErrorReason } from '../contract/preparation.js';
import { type Obstacle, eventNotLanded, eventInUse, eventVoided, notVoidable } from '../errors.js';
import { NotCanonical, atPointer, canonicalJson } from '#kernel';
import { clockIssues, dateIssues, isLate, lateIssues } from '../events/rules/event-times.rules.js';
import { placeOf, readMetadata, type Issue, fault, inMetadata } from '../process-maps/event-reading.js';
import { didYouMean, documentIssues, footprintIssues, kdeIssues, scoreKdes } from '../events/rules/event-soft.rules.js';
import type { PublishedProcess, WellKnown } from '../process-maps/process-map.js';
import type { SchemaVerdict } from '../process-maps/schemas/schema-compiler.js';
import { type Examination, schemaIssues } from '../events/rules/event.rules.js';
import { textIssues } from '../process-maps/schemas/metadata-text.js';

/** An error declaration as it is requested. */
export interface ErrorDeclaration {
  readonly reason: ErrorReason;
  /** Events that say what was so instead. */
  readonly correctiveEventIDs: readonly string[];
}

/** @throws DomainError 409 for an event that is not on chain, is voided already, packed or broke up a container, or corrects another one */
export function requireVoidable(event: CommittedRecord): void {
  requireLanded(event);
  if (event.supersedes !== null) throw notVoidable('A correction of content is not voided: supersede the event again.');
  if (event.containmentMode === 1) throw notVoidable('A packing is not voided: break the container up.');
  if (event.containmentMode === 2) throw notVoidable('The breaking up of a container is not voided: pack its contents again.');
}

/** @throws DomainError 409 for an event that is not on chain, or is voided */
export function requireLanded(event: CommittedRecord): void {
  if (event.status === 'voided') throw eventVoided(event.id);
  if (event.status !== 'recorded' && event.status !== 'superseded') throw eventNotLanded(event.id, event.status);
}

/** Leaf first: what used the outputs of an event is voided before it. @throws DomainError 409 `event_in_use` */
export function requireLeaf(obstacles: readonly Obstacle[]): void {
  if (obstacles.length > 0) throw eventInUse(obstacles);
}

/** Arguments of `voidEvent`: the event word for word as the chain committed to it. */
export const voidArguments = (event: CommittedRecord, dataHash: string) => ({
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

const headerOf = (event: CommittedRecord) => ({
  eventId: event.chainEventId,
  processId: event.processId,
  actor: event.actor,
  mode: event.containmentMode,
  firstOutputId: event.firstOutputId,
  dataHash: event.dataHash,
});

/** Where an event says what it does to lots. That is on chain: only a void undoes it, never other content. */
const OF_THE_GRAPH: readonly WellKnown[] = ['inputs', 'quantity', 'coProducts'];

/**
 * New content for an event that landed (docs/spec/domain.md#event-record): held against the newest version of its process like any new
 * event, except that the lots are what they are.
 */
export function examineAmendment(
  event: CommittedRecord,
  published: PublishedProcess,
  metadata: Readonly<Record<string, unknown>>,
  { faults, hints }: SchemaVerdict,
  now: Date,
): Examination {
  const { process } = published;
  const remarks: Issue[] = didYouMean(hints);
  const reading = readMetadata(metadata, process, remarks);
  const hard = [...textIssues(metadata), ...schemaIssues(faults), ...graphIssues(event, published, metadata)];
  const soft = [
    ...clockIssues(published, reading, [], now),
    ...remarks,
    ...kdeIssues(published, metadata),
    ...lateIssues(published, reading, now),
    ...dateIssues(published, reading, metadata),
    ...footprintIssues(published, metadata, reading, []),
    ...documentIssues(published, reading),
  ];
  return {
    issues: [...hard, ...soft],
    event: {
      published,
      reading,
      draws: [],
      outputs: [],
      kde: scoreKdes(published, metadata),
      late: isLate(published, reading.eventTime, now),
      // A correction may be of an event that was recorded before its tenant chose to be open.
      isOpen: false,
    },
  };
}

function graphIssues(event: CommittedRecord, { process }: PublishedProcess, metadata: Readonly<Record<string, unknown>>): Issue[] {
  // Content that nobody knows cannot be compared; the new content is then all there is.
  if (event.metadata === null) return [];
  const differs = (pointer: string): boolean => textOf(atPointer(event.metadata, pointer)) !== textOf(atPointer(metadata, pointer));
  const onChain = 'which is on chain: void the event to change it';
  const changed = (names: readonly WellKnown[]): string[] => names.map((name) => placeOf(process, name)).filter(differs);
  const identity = event.outputs.length > 0 ? changed(OF_THE_IDENTITY) : [];
  return [
    ...changed(OF_THE_GRAPH).map((pointer) => fault(inMetadata(pointer), 'graph_stands', `says what the event did to lots, ${onChain}`)),
    ...identity.map((pointer) => fault(inMetadata(pointer), 'graph_stands', `says which lot the event made, ${onChain}`)),
  ];
}

/** What an event that makes a lot calls it (docs/spec/domain.md#identifiers). */
const OF_THE_IDENTITY: readonly WellKnown[] = ['gtin', 'serial'];

function textOf(value: unknown): string {
  try {
    return value === undefined ? '' : canonicalJson(value);
  } catch (error) {
    if (error instanceof NotCanonical) return error.code;
    throw error;
  }
}
