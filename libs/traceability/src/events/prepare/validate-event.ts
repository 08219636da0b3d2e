import { Injectable } from '@nestjs/common';
import {
  type Actor,
  Clock,
  DomainError,
  MOST_PROBLEMS,
  isChecksumAddress,
  isObject,
  isTokenId,
  mapYielding,
  requireProcess,
  senderOf,
  escapePointer,
  shortProblem,
} from '#kernel';
import { UnitOfWork } from '#persistence';
import { Span } from '#tracing';
import type { EventSubmission } from '../../contract/preparation.js';
import { type PublishedProcess, rolesFor } from '../../process-maps/process-map.js';
import { type GeneratedCode, type Issue, errorsOf, fault, sentenceOf, warningsOf } from '../../process-maps/event-reading.js';
import { CheckMetadata } from '../../process-maps/schemas/check-metadata.js';
import type { SchemaVerdict } from '../../process-maps/schemas/schema-compiler.js';
import { reservationsOf } from './prepared-event.js';
import { type ValidationContexts, ReadContext } from './read-event-context.js';
import { type Examination, examine } from '../rules/event.rules.js';
import { closest } from '../../process-maps/schemas/json-schema.js';

/** What the rules say about an event, and the time against which they were applied. */
export interface DatedExamination extends Examination {
  readonly now: Date;
  /** The code that its template gives, where the submission has none. */
  readonly generated: GeneratedCode | null;
}

interface Options {
  /** The event is part of an offer or an acceptance. */
  readonly attached?: boolean;
  readonly unreadable?: readonly Issue[];
  /** What events have reserved that are not saved yet; those that are found valid here are added. */
  readonly reservations?: Set<string>;
}

/** What schemas say about submissions, each with the map that the schema is of. */
type Verdicts = Map<EventSubmission, { readonly map: PublishedProcess['map']; readonly verdict: SchemaVerdict }>;

interface OpenVerdict {
  readonly submission: EventSubmission;
  readonly published: PublishedProcess;
}

/** Reads what the rules look at in one transaction and applies them to submissions. Stores nothing. */
@Injectable()
export class ExamineEvent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly contexts: ReadContext,
    private readonly schemas: CheckMetadata,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 403 `process_out_of_scope`, before anything else is checked */
  async examine(actor: Actor, submission: EventSubmission, options: Options = {}): Promise<DatedExamination> {
    const [examined] = await this.examineAll(actor, [submission], options);
    if (examined instanceof DomainError) throw examined;
    return examined!;
  }

  /**
   * One answer for each submission, in their order: what the rules say, or why they were not applied. What an earlier one without errors
   * uses counts as reserved for the later ones. The number of statements does not depend on the number of submissions.
   */
  @Span('examine events')
  async examineAll(
    actor: Actor,
    submissions: readonly EventSubmission[],
    options: Options = {},
  ): Promise<readonly (DatedExamination | DomainError)[]> {
    const refused = submissions.map(({ processType }) => (processType === '' ? null : outOfScope(actor, processType)));
    const within = submissions.filter((_, i) => refused[i] === null);
    if (within.length === 0) return refused as DomainError[];
    const now = this.clock.now();
    const verdicts: Verdicts = new Map();
    for (;;) {
      const open: OpenVerdict[] = [];
      const examined = await this.work.inTransaction(actor, async (tx) => {
        const contexts = await this.contexts.read(tx, actor, within, now);
        open.push(...(await this.openVerdicts(actor, within, contexts, verdicts)));
        if (open.length > 0) return null;
        const reservations = options.reservations ?? new Set<string>();
        for (const reservation of contexts.reservations) reservations.add(reservation);
        return mapYielding(
          submissions,
          (submission, i) => refused[i] ?? this.examineOne(actor, submission, contexts, { ...options, reservations, verdicts }),
        );
      });
      if (examined) return examined;
      // No transaction waits for the threads. The maps are read again then: what was published meanwhile counts.
      await Promise.all(
        open.map(async ({ submission, published }) => {
          const verdict = await this.schemas.inThread(actor.tenantId, published, submission.metadata);
          verdicts.set(submission, { map: published.map, verdict });
        }),
      );
    }
  }

  /** Gives those verdicts that are quick, and returns what is left to find out. */
  private async openVerdicts(
    actor: Actor,
    submissions: readonly EventSubmission[],
    { processes }: ValidationContexts,
    verdicts: Verdicts,
  ): Promise<OpenVerdict[]> {
    const open = await mapYielding(submissions, (submission): OpenVerdict | null => {
      const published = processes.get(submission.processType);
      const { metadata } = submission;
      if (!published || verdicts.get(submission)?.map.cid === published.map.cid) return null;
      if (outOfScope(actor, published.processType, published)) return null;
      const verdict = this.schemas.atOnce(actor.tenantId, published, metadata);
      if (!verdict) return { submission, published };
      verdicts.set(submission, { map: published.map, verdict });
      return null;
    });
    return open.filter((one) => one !== null);
  }

  private async examineOne(
    actor: Actor,
    submission: EventSubmission,
    contexts: ValidationContexts,
    { attached = false, unreadable, reservations, verdicts }: Options & { readonly reservations: Set<string>; readonly verdicts: Verdicts },
  ): Promise<DatedExamination | DomainError> {
    const published = contexts.processes.get(submission.processType) ?? null;
    const refusal = published && outOfScope(actor, published.processType, published);
    if (refusal) return refusal;
    const context = { ...(await contexts.of(submission, reservations)), attached };
    const examination = examine(submission, context, verdicts.get(submission)?.verdict ?? null, unreadable);
    if (examination.event && errorsOf(examination.issues).length === 0)
      for (const reservation of reservationsOf(examination.event)) reservations.add(reservation);
    return { ...examination, now: context.now, generated: context.generated };
  }
}

function outOfScope(actor: Actor, processType: string, published?: PublishedProcess): DomainError | null {
  try {
    requireProcess(actor, processType, published && rolesFor(published.process));
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** Fields of the docs/spec/service.md#event-submission, and the additive `from` (docs/spec/api.md#conventions). */
const SUBMISSION_FIELDS = ['processType', 'inputTokenIds', 'outputTlc', 'outputCustodian', 'metadata', 'from'] as const;

/** As much of a submission as can be read, with a fault for everything that cannot. */
interface ReadSubmission {
  readonly submission: EventSubmission;
  readonly faults: readonly Issue[];
}

/** Reads what `validate` was sent, which may be any JSON object: what does not fit becomes a fault and counts as absent. */
function readSubmission(body: { readonly [key: string]: unknown }): ReadSubmission {
  const faults: Issue[] = [];
  for (const key of Object.keys(body)) {
    if ((SUBMISSION_FIELDS as readonly string[]).includes(key)) continue;
    const guess = faults.length < MOST_PROBLEMS ? closest(key, SUBMISSION_FIELDS) : null;
    faults.push(fault(`/${escapePointer(key)}`, 'unknown_field', `is not a field of an event${guess ? `; did you mean ${guess}?` : ''}`));
  }
  const text = (key: 'processType' | 'outputTlc' | 'outputCustodian' | 'from'): string | null => {
    const value = body[key];
    if (value === undefined || value === null) return null;
    if (typeof value === 'string') return value;
    faults.push(fault(`/${key}`, 'wrong_type', 'must be a text'));
    return null;
  };
  const processType = text('processType');
  if (processType === null && !faults.some((found) => found.pointer === '/processType'))
    faults.push(fault('/processType', 'required', 'is required'));
  const metadata = body['metadata'];
  if (metadata === undefined) faults.push(fault('/metadata', 'required', 'is required'));
  else if (!isObject(metadata)) faults.push(fault('/metadata', 'wrong_type', 'must be an object'));
  const submission: EventSubmission = {
    processType: processType ?? '',
    inputTokenIds: readTokenIds(body['inputTokenIds'], faults),
    outputTlc: text('outputTlc'),
    outputCustodian: text('outputCustodian'),
    metadata: isObject(metadata) ? metadata : {},
    from: text('from'),
  };
  return { submission, faults };
}

/** More than any process takes. */
const MOST_READ = 10_000;

function readTokenIds(value: unknown, faults: Issue[]): bigint[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    faults.push(fault('/inputTokenIds', 'wrong_type', 'must be a list of token ids'));
    return [];
  }
  // Their number is refused by what follows; reading each of a hundred thousand would take long.
  return value.slice(0, MOST_READ).flatMap((item: unknown, i) => {
    if (isTokenId(item)) return [BigInt(item)];
    faults.push(fault(`/inputTokenIds/${i}`, 'bad_token_id', 'must be a token id: an integer from 1, or its decimal string'));
    return [];
  });
}

export interface Verdict {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly issues: readonly Issue[];
  /** How many there are beyond those that are listed. */
  readonly moreIssues: number;
}

/** `POST /events/validate`: finds errors and warnings of an event; prepares and stores nothing. */
@Injectable()
export class ValidateEvent {
  constructor(private readonly examination: ExamineEvent) {}

  /** @throws DomainError 403 outside the process scope, or for a sender that is not the actor's */
  @Span('validate event')
  async validate(actor: Actor, body: { readonly [key: string]: unknown }): Promise<Verdict> {
    const { submission, faults } = readSubmission(body);
    const badSender = submission.from !== null && !isChecksumAddress(submission.from);
    const unreadable = badSender ? [...faults, fault('/from', 'bad_address', 'must be an address with its EIP-55 checksum')] : faults;
    const from = senderOf(actor, badSender ? null : submission.from);
    const { issues } = await this.examination.examine(actor, { ...submission, from }, { unreadable });
    // A submission of a megabyte can have 300,000 faults.
    const listed = issues.slice(0, MOST_PROBLEMS).map(shortProblem);
    return {
      valid: errorsOf(issues).length === 0,
      errors: errorsOf(listed).map(sentenceOf),
      warnings: warningsOf(listed).map(sentenceOf),
      issues: listed,
      moreIssues: issues.length - listed.length,
    };
  }
}
