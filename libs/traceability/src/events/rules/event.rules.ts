import { closest } from '../../process-maps/schemas/json-schema.js';
import type { EventSubmission } from '../../contract/preparation.js';
import {
  type Issue,
  errorsOf,
  fault,
  inMetadata,
  remark,
  warningsOf,
  type ValidationContext,
  type Reading,
  readMetadata,
} from '../../process-maps/event-reading.js';
import { type Draw, draws } from './event-amounts.rules.js';
import { type Expiry, clockIssues, dateIssues, isLate, lateIssues, expiryOf, isStorable } from './event-times.rules.js';
import { MAX_INPUTS, type NamedInput, cardinalityIssues, inputIssues, mixedCustodyIssues, nameInputs } from './event-lots.rules.js';
import { type Output, containerCustodyIssues, outputsOf } from './event-outputs.rules.js';
import {
  type KdeScore,
  reservationIssues,
  didYouMean,
  documentIssues,
  footprintIssues,
  kdeIssues,
  massIssues,
  scoreKdes,
} from './event-soft.rules.js';
import type { PublishedProcess } from '../../process-maps/process-map.js';
import { textIssues } from '../../process-maps/schemas/metadata-text.js';
import type { SchemaVerdict } from '../../process-maps/schemas/schema-compiler.js';

/** Issues of one stage that are reported, and that are compared: each is compared with those before. */
const MAX_ISSUES = 200;
const MAX_SEEN = 5000;

/** A submission, read against its process and the lots that it names. */
export interface ExaminedEvent {
  readonly published: PublishedProcess;
  readonly reading: Reading;
  /** In ascending token id order, as the chain wants them. */
  readonly draws: readonly Draw[];
  readonly outputs: readonly Output[];
  readonly kde: KdeScore;
  readonly late: boolean;
  /** Its tenant wants every value in the clear. */
  readonly isOpen: boolean;
}

export interface Examination {
  /** Errors first, then warnings; one per fault. */
  readonly issues: readonly Issue[];
  /** Null when the process is unknown. */
  readonly event: ExaminedEvent | null;
}

/**
 * The four stages of docs/spec/domain.md#process-maps: process, schema, graph, soft rules. Pure: everything that it reads is in `context`.
 * @param verdict of the schema on the metadata; null where the process is unknown
 * @param unreadable issues of the fields that could not be read
 */
export function examine(
  submission: EventSubmission,
  context: ValidationContext,
  verdict: SchemaVerdict | null,
  unreadable: readonly Issue[] = [],
): Examination {
  const { published } = context;
  const text = [...unreadable, ...textIssues(submission.metadata)];
  if (!published) return { issues: [...text, ...unknownProcess(submission.processType, context, text)], event: null };
  // Without metadata, or with text that has no canonical form, further issues would be noise.
  if (text.some((issue) => issue.pointer === '/metadata')) return { issues: text, event: null };
  const { faults, hints } = verdict ?? { faults: [], hints: [] };
  const shape = [...text, ...schemaIssues(faults)];
  if (submission.inputTokenIds.length > MAX_INPUTS)
    return { issues: [...shape, ...cardinalityIssues(published.process, submission.inputTokenIds.length)], event: null };
  const graph: Issue[] = [];
  const soft: Issue[] = didYouMean(hints);
  const event = examineGraph(published, submission, context, graph, soft);
  soft.push(...softIssues(event, submission, context));
  return { issues: settled(shape, graph, soft), event };
}

function unknownProcess(processType: string, { knownProcessTypes }: ValidationContext, said: readonly Issue[]): Issue[] {
  if (said.some((issue) => issue.pointer === '/processType')) return [];
  if (processType === '') return [fault('/processType', 'required', 'is required')];
  const twin = knownProcessTypes.find((known) => known.toLowerCase() === processType.toLowerCase());
  const guess = twin ?? closest(processType, knownProcessTypes);
  return [fault('/processType', 'unknown_process_type', `there is no process ${processType}${guess ? `; did you mean ${guess}?` : ''}`)];
}

export const schemaIssues = (faults: SchemaVerdict['faults']): Issue[] =>
  faults.map(({ pointer, code, message }) => fault(inMetadata(pointer), code, message));

function examineGraph(
  published: PublishedProcess,
  submission: EventSubmission,
  context: ValidationContext,
  graph: Issue[],
  soft: Issue[],
): ExaminedEvent {
  const { process } = published;
  const reading = readMetadata(submission.metadata, process, soft);
  const eventTime = reading.eventTime ?? context.now;
  graph.push(...cardinalityIssues(process, submission.inputTokenIds.length));
  const inputs = nameInputs(submission, reading, context.lots, graph);
  const isReturn = submission.metadata['recallReturn'] === true;
  for (const input of inputs) graph.push(...inputIssues(process, input, context, { eventTime, isReturn }));
  graph.push(...mixedCustodyIssues(process, inputs));
  const taken = draws(process, inputs, graph).toSorted((a, b) => (a.input.tokenId < b.input.tokenId ? -1 : 1));
  const outputs = outputsOf(published, submission, reading, context, graph);
  graph.push(...containerCustodyIssues(published, outputs, inputs));
  graph.push(...clockIssues(published, reading, lotsOf(inputs), context.now));
  return {
    published,
    reading,
    draws: taken,
    outputs: withExpiry(outputs, expiryFor(published, submission, reading, inputs), { graph, soft }),
    kde: scoreKdes(published, submission.metadata),
    late: isLate(published, reading.eventTime, context.now),
    isOpen: context.rules.contents === 'open',
  };
}

const lotsOf = (inputs: readonly NamedInput[]) => inputs.flatMap((input) => (input.lot ? [input.lot] : []));

interface OutputExpiry extends Expiry {
  readonly pointer: string;
}

function expiryFor(
  { process }: PublishedProcess,
  submission: EventSubmission,
  reading: Reading,
  inputs: readonly NamedInput[],
): OutputExpiry {
  const dates = lotsOf(inputs).flatMap((lot) => (lot.expiresAt ? [lot.expiresAt] : []));
  return {
    ...expiryOf(process, submission.metadata, reading.eventTimeZoneOffset, dates),
    pointer: inMetadata(process.expiry?.override ?? process.expiry?.from ?? ''),
  };
}

function withExpiry(
  outputs: readonly Output[],
  { at, capped, pointer }: OutputExpiry,
  { graph, soft }: { readonly graph: Issue[]; readonly soft: Issue[] },
): Output[] {
  if (at && !isStorable(at)) {
    graph.push(fault(pointer, 'expiry_out_of_range', 'gives an expiry before 1970 or after 9999'));
    return [...outputs];
  }
  if (capped) soft.push(remark(pointer, 'expiry_capped', `an input expires on ${at!.toISOString()}, so the lot does too`));
  return outputs.map((output) => ({ ...output, expiresAt: at }));
}

function softIssues(event: ExaminedEvent, submission: EventSubmission, context: ValidationContext): Issue[] {
  const { published, reading, draws: drawn, outputs } = event;
  const lots = drawn.flatMap(({ input }) => (input.lot ? [input.lot] : []));
  return [
    ...kdeIssues(published, submission.metadata),
    ...massIssues(published, drawn, outputs, reading),
    ...lateIssues(published, reading, context.now),
    ...dateIssues(published, reading, submission.metadata),
    ...footprintIssues(published, submission.metadata, reading, lots),
    ...documentIssues(published, reading),
    ...reservationIssues(published, drawn, context),
    ...(published.process.kind === 'transfer' && !context.attached
      ? [remark('/processType', 'custody_not_moved', 'the event is recorded, but custody moves by POST /api/v1/custody/prepare only')]
      : []),
  ];
}

/** One message per fault: an issue at a place where, or around which, an earlier stage reported an error is left out. */
function settled(shape: readonly Issue[], graph: readonly Issue[], soft: readonly Issue[]): Issue[] {
  const kept = [...shape];
  const places = new ErrorPlaces();
  for (const issue of shape) places.add(issue);
  for (const stage of [errorsOf(graph), warningsOf(graph), soft.slice(0, MAX_SEEN)]) {
    const added = stage.filter((issue) => !places.touch(issue.pointer)).slice(0, MAX_ISSUES);
    for (const issue of added) places.add(issue);
    kept.push(...added);
  }
  return kept;
}

/** Where errors were reported: asked in a time that does not depend on their number. */
class ErrorPlaces {
  private readonly at = new Set<string>();
  private readonly around = new Set<string>();

  add({ severity, pointer }: Issue): void {
    if (severity !== 'error' || this.at.has(pointer)) return;
    this.at.add(pointer);
    for (const outer of outerPlaces(pointer)) this.around.add(outer);
  }

  /** The same place, or one inside the other; the request and its metadata as a whole do not count. */
  touch(pointer: string): boolean {
    return this.at.has(pointer) || this.around.has(pointer) || outerPlaces(pointer).some((outer) => this.at.has(outer));
  }
}

function outerPlaces(pointer: string): string[] {
  const places: string[] = [];
  for (let end = pointer.lastIndexOf('/'); end > '/metadata'.length; end = pointer.lastIndexOf('/', end - 1))
    places.push(pointer.slice(0, end));
  return places;
}
