import { Injectable } from '@nestjs/common';
import { requireProcess } from '#identity';
import { type Actor, Clock, DomainError, inTurns } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Step } from '#tracing';
import type { EventSubmission } from '../contract.js';
import { DEFAULT_RULES, type EventContext, type TenantRules } from '../domain/event-context.js';
import { type Issue, errorsOf } from '../domain/issue.js';
import { claimsOf } from '../domain/prepared-event.js';
import { type PublishedProcess, rolesFor } from '../domain/process-map.js';
import { SchemaCompiler } from '../domain/schema-compiler.js';
import { type Examination, examine } from '../domain/validation.js';
import { ProcessMaps, Rules } from '../ports.js';
import { ChooseCodes, type GatheredCodes } from './choose-codes.js';
import { GatherLots, type GatheredLots } from './gather-lots.js';

export interface Examined extends Examination {
  readonly now: Date;
}

interface Options {
  readonly riding?: boolean;
  readonly unreadable?: readonly Issue[];
  /** What others who are not saved yet reach for; what is found sound here is added. */
  readonly claims?: Set<string>;
}

interface Gathered {
  readonly processes: ReadonlyMap<string, PublishedProcess>;
  readonly knownProcessTypes: readonly string[];
  readonly lots: GatheredLots;
  readonly codes: GatheredCodes;
  readonly rules: TenantRules;
  readonly now: Date;
}

/** Gathers what the rules look at in one read transaction and holds submissions against them. Stores nothing. */
@Injectable()
export class ExamineEvent {
  private readonly schemas = new SchemaCompiler();

  constructor(
    private readonly work: UnitOfWork,
    private readonly maps: ProcessMaps,
    private readonly lots: GatherLots,
    private readonly codes: ChooseCodes,
    private readonly clock: Clock,
    private readonly rules: Rules,
  ) {}

  /** @throws DomainError 403 `process_out_of_scope`, before anything else is looked at */
  async examine(actor: Actor, submission: EventSubmission, options: Options = {}): Promise<Examined> {
    const [examined] = await this.examineAll(actor, [submission], options);
    if (examined instanceof DomainError) throw examined;
    return examined!;
  }

  /**
   * One answer a submission, in their order: what it comes to, or why it was not looked at. What an earlier one without errors
   * reaches for counts as claimed for the later ones. Costs the same number of statements however many there are.
   */
  @Step('examine events')
  async examineAll(
    actor: Actor,
    submissions: readonly EventSubmission[],
    options: Options = {},
  ): Promise<readonly (Examined | DomainError)[]> {
    const refused = submissions.map(({ processType }) => (processType === '' ? null : outOfScope(actor, processType)));
    const within = submissions.filter((_, i) => refused[i] === null);
    if (within.length === 0) return refused as DomainError[];
    const now = this.clock.now();
    return this.work.inTransaction(actor, async (tx) => {
      const gathered = await this.gather(tx, actor, within, now);
      const claims = options.claims ?? new Set<string>();
      for (const claim of gathered.codes.claims) claims.add(claim);
      return inTurns(submissions, (submission, i) => refused[i] ?? this.examineOne(actor, submission, gathered, claims, options));
    });
  }

  private async gather(tx: TenantTx, actor: Actor, submissions: readonly EventSubmission[], now: Date): Promise<Gathered> {
    const processTypes = [...new Set(submissions.map((submission) => submission.processType))];
    const processes = await this.maps.processes(tx, processTypes);
    const placed = submissions.flatMap((submission) => {
      const published = processes.get(submission.processType);
      return published ? [{ submission, published }] : [];
    });
    const lots = await this.lots.gather(tx, actor, submissions);
    return {
      processes,
      knownProcessTypes: placed.length === submissions.length ? [] : (await this.maps.processTypes(tx)).map((known) => known.processType),
      lots,
      codes: await this.codes.gather(tx, placed, now),
      rules: await this.rulesFor(tx, submissions, lots),
      now,
    };
  }

  /** Asked only when a lot is named that one of them can be about. */
  private async rulesFor(tx: TenantTx, submissions: readonly EventSubmission[], lots: GatheredLots): Promise<TenantRules> {
    const named = submissions.flatMap((submission) => lots.named(submission));
    return named.some((lot) => lot.recallAffected || lot.expiresAt !== null) ? this.rules.of(tx) : DEFAULT_RULES;
  }

  private async examineOne(
    actor: Actor,
    submission: EventSubmission,
    { processes, knownProcessTypes, lots, codes, rules, now }: Gathered,
    claims: Set<string>,
    { riding = false, unreadable }: Options,
  ): Promise<Examined | DomainError> {
    const published = processes.get(submission.processType) ?? null;
    const refusal = published && outOfScope(actor, published.processType, published);
    if (refusal) return refusal;
    const named = lots.named(submission);
    const context: EventContext = {
      published,
      knownProcessTypes,
      lots: named,
      takenTlcs: codes.taken,
      generatedTlc: published && (await codes.generate({ submission, published }, claims)),
      // Not a copy: what this one claims is added behind it.
      claims,
      sender: lots.sender(submission, named),
      finalBlock: lots.finalBlock,
      now,
      rules,
      riding,
    };
    const examination = examine(submission, context, this.schemas, unreadable);
    if (examination.event && errorsOf(examination.issues).length === 0) for (const claim of claimsOf(examination.event)) claims.add(claim);
    return { ...examination, now };
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
