import { NotCanonical, atPointer, canonicalJson } from '#kernel';
import type { ChainEvent } from './chain-event.js';
import { clockIssues, dateIssues, isLate, lateIssues } from './event-clocks.js';
import { placeOf, readMetadata } from './event-reading.js';
import { didYouMean, documentIssues, footprintIssues, kdeIssues, scoreKdes } from './event-soft-rules.js';
import { textIssues } from './event-text.js';
import { type Issue, fault, inMetadata } from './issue.js';
import type { PublishedProcess, WellKnown } from './process-map.js';
import type { SchemaCompiler } from './schema-compiler.js';
import { type Examination, schemaIssues } from './validation.js';

/** Where an event says what it does to lots. That stands on chain: it is taken back by a void, never by other words. */
const OF_THE_GRAPH: readonly WellKnown[] = ['inputs', 'quantity', 'coProducts'];

/**
 * New content for an event that landed (domain-decisions §2.5): held against the newest version of its process like any new
 * event, except that the lots are what they are.
 */
export function examineAmendment(
  event: ChainEvent,
  published: PublishedProcess,
  metadata: Readonly<Record<string, unknown>>,
  schemas: SchemaCompiler,
  now: Date,
): Examination {
  const { process } = published;
  const schema = schemas.schemaOf(published.map, published.processType);
  const remarks: Issue[] = didYouMean(metadata, schema);
  const reading = readMetadata(metadata, process, remarks);
  const hard = [...textIssues(metadata), ...schemaIssues(schema, metadata), ...graphIssues(event, published, metadata)];
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
    },
  };
}

function graphIssues(event: ChainEvent, { process }: PublishedProcess, metadata: Readonly<Record<string, unknown>>): Issue[] {
  // Content that nobody knows cannot be compared; the new one is then the only word about it.
  if (event.metadata === null) return [];
  return OF_THE_GRAPH.filter((name) => {
    const pointer = placeOf(process, name);
    return textOf(atPointer(event.metadata, pointer)) !== textOf(atPointer(metadata, pointer));
  }).map((name) =>
    fault(
      inMetadata(placeOf(process, name)),
      'graph_stands',
      'says what the event did to lots, which stands on chain: void the event to change it',
    ),
  );
}

function textOf(value: unknown): string {
  try {
    return value === undefined ? '' : canonicalJson(value);
  } catch (error) {
    if (error instanceof NotCanonical) return error.code;
    throw error;
  }
}
