import type { EventSubmission } from '../contract.js';
import { closest } from './did-you-mean.js';
import { type Draw, draws } from './event-amounts.js';
import { clockIssues, dateIssues, isLate, lateIssues } from './event-clocks.js';
import type { EventContext } from './event-context.js';
import { MAX_INPUTS, type NamedInput, cardinalityIssues, inputIssues, mixedCustodyIssues, nameInputs } from './event-lots.js';
import { type Output, containerCustodyIssues, outputsOf } from './event-outputs.js';
import { type Reading, readMetadata } from './event-reading.js';
import {
  type KdeScore,
  claimIssues,
  didYouMean,
  documentIssues,
  footprintIssues,
  kdeIssues,
  massIssues,
  scoreKdes,
} from './event-soft-rules.js';
import { textIssues } from './event-text.js';
import { expiryOf, isStorable } from './expiry.js';
import { type Issue, errorsOf, fault, inMetadata, remark, warningsOf } from './issue.js';
import type { PublishedProcess } from './process-map.js';
import type { MetadataSchema, SchemaCompiler } from './schema-compiler.js';

/** Findings of one stage that are told, and that are looked at: nobody reads more, and each is compared with those before. */
const MAX_ISSUES = 200;
const MAX_SEEN = 5000;

/** What a submission comes to, read against its process and the lots it names. */
export interface ExaminedEvent {
  readonly published: PublishedProcess;
  readonly reading: Reading;
  /** In ascending token id order, as the chain wants them. */
  readonly draws: readonly Draw[];
  readonly outputs: readonly Output[];
  readonly kde: KdeScore;
  readonly late: boolean;
}

export interface Examination {
  /** Errors first, then warnings; one per fault. */
  readonly issues: readonly Issue[];
  /** Null when the process is unknown. */
  readonly event: ExaminedEvent | null;
}

/**
 * The four stages of domain-decisions §1: process, schema, graph, soft rules. Pure: everything that it looks at comes in `context`.
 * @param unreadable what could not even be read of the submission
 */
export function examine(
  submission: EventSubmission,
  context: EventContext,
  schemas: SchemaCompiler,
  unreadable: readonly Issue[] = [],
): Examination {
  const { published } = context;
  const text = [...unreadable, ...textIssues(submission.metadata)];
  if (!published) return { issues: [...text, ...unknownProcess(submission.processType, context, text)], event: null };
  // Without metadata, or with text that has no one form, what its schema or the graph would say is noise.
  if (text.some((issue) => issue.pointer === '/metadata')) return { issues: text, event: null };
  const schema = schemas.schemaOf(published.map, published.processType);
  const shape = [...text, ...schemaIssues(schema, submission.metadata)];
  if (submission.inputTokenIds.length > MAX_INPUTS)
    return { issues: [...shape, ...cardinalityIssues(published.process, submission.inputTokenIds.length)], event: null };
  const graph: Issue[] = [];
  const soft: Issue[] = didYouMean(submission.metadata, schema);
  const event = examineGraph(published, submission, context, graph, soft);
  soft.push(...softIssues(event, submission, context));
  return { issues: settled(shape, graph, soft), event };
}

function unknownProcess(processType: string, { knownProcessTypes }: EventContext, said: readonly Issue[]): Issue[] {
  if (said.some((issue) => issue.pointer === '/processType')) return [];
  if (processType === '') return [fault('/processType', 'required', 'is required')];
  const twin = knownProcessTypes.find((known) => known.toLowerCase() === processType.toLowerCase());
  const guess = twin ?? closest(processType, knownProcessTypes);
  return [fault('/processType', 'unknown_process_type', `there is no process ${processType}${guess ? `; did you mean ${guess}?` : ''}`)];
}

export const schemaIssues = (schema: MetadataSchema, metadata: object): Issue[] =>
  schema.faults(metadata).map(({ pointer, code, message }) => fault(inMetadata(pointer), code, message));

function examineGraph(
  published: PublishedProcess,
  submission: EventSubmission,
  context: EventContext,
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
    outputs: withExpiry(published, submission, reading, inputs, outputs, { graph, soft }),
    kde: scoreKdes(published, submission.metadata),
    late: isLate(published, reading.eventTime, context.now),
  };
}

const lotsOf = (inputs: readonly NamedInput[]) => inputs.flatMap((input) => (input.lot ? [input.lot] : []));

function withExpiry(
  { process }: PublishedProcess,
  submission: EventSubmission,
  reading: Reading,
  inputs: readonly NamedInput[],
  outputs: readonly Output[],
  { graph, soft }: { readonly graph: Issue[]; readonly soft: Issue[] },
): Output[] {
  const dates = lotsOf(inputs).flatMap((lot) => (lot.expiresAt ? [lot.expiresAt] : []));
  const expiry = expiryOf(process, submission.metadata, reading.eventTimeZoneOffset, dates);
  const at = inMetadata(process.expiry?.override ?? process.expiry?.from ?? '');
  if (expiry.at && !isStorable(expiry.at)) {
    graph.push(fault(at, 'expiry_out_of_range', 'gives an expiry before 1970 or after 9999'));
    return [...outputs];
  }
  if (expiry.capped) soft.push(remark(at, 'expiry_capped', `an input expires on ${expiry.at!.toISOString()}, so the lot does too`));
  return outputs.map((output) => ({ ...output, expiresAt: expiry.at }));
}

function softIssues(event: ExaminedEvent, submission: EventSubmission, context: EventContext): Issue[] {
  const { published, reading, draws: drawn, outputs } = event;
  const lots = drawn.flatMap(({ input }) => (input.lot ? [input.lot] : []));
  return [
    ...kdeIssues(published, submission.metadata),
    ...massIssues(published, drawn, outputs, reading),
    ...lateIssues(published, reading, context.now),
    ...dateIssues(published, reading, submission.metadata),
    ...footprintIssues(published, submission.metadata, reading, lots),
    ...documentIssues(published, reading),
    ...claimIssues(published, drawn, context),
    ...(published.process.kind === 'transfer' && !context.riding
      ? [remark('/processType', 'custody_not_moved', 'the event is recorded, but custody moves by POST /api/v1/custody/prepare only')]
      : []),
  ];
}

/** One message per fault: what an earlier stage said about a place, or about what lies around it, is not said again. */
function settled(shape: readonly Issue[], graph: readonly Issue[], soft: readonly Issue[]): Issue[] {
  const kept = [...shape];
  const said = (pointer: string) => kept.some((issue) => issue.severity === 'error' && touches(issue.pointer, pointer));
  for (const stage of [errorsOf(graph), warningsOf(graph), soft.slice(0, MAX_SEEN)])
    kept.push(...stage.filter((issue) => !said(issue.pointer)).slice(0, MAX_ISSUES));
  return kept;
}

/** The same place, or one inside the other; the request and its metadata as a whole do not count. */
const touches = (a: string, b: string): boolean =>
  a === b || (a.length > '/metadata'.length && b.startsWith(`${a}/`)) || (b.length > '/metadata'.length && a.startsWith(`${b}/`));
