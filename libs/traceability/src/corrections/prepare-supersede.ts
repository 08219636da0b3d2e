import { Injectable } from '@nestjs/common';
import { type Actor, Clock, invalidContent, requireRole, type Role } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { examineAmendment, requireLanded } from './correction.rules.js';
import type { CommittedRecord } from '../events/event-record.js';
import { notEntitled } from '../errors.js';
import { CheckMetadata } from '../process-maps/schemas/check-metadata.js';
import type { SchemaVerdict } from '../process-maps/schemas/schema-compiler.js';
import type { PublishedProcess } from '../process-maps/process-map.js';
import { CorrectionQueries } from './corrections.queries.js';
import { ProcessMapQueries } from '../process-maps/process-maps.queries.js';
import type { DatedExamination } from '../events/prepare/validate-event.js';
import { FindEvent, CORRECTORS } from '../events/find-event.js';
import { type Attach, type PreparedEvent, PrepareCall } from '#prepare';
import { Span } from '#tracing';
import { ContentCorrections, type SupersedeRequest } from '../contract/preparation.js';
import { MakeDrafts } from '../events/prepare/make-drafts.js';
import { SaveDrafts } from '../events/prepare/prepare-event.js';
import { errorsOf } from '../process-maps/event-reading.js';

/** What the schema of a process says about new content. */
interface JudgedContent {
  readonly published: PublishedProcess;
  readonly verdict: SchemaVerdict;
}

interface ExaminedAmendment extends DatedExamination {
  readonly corrected: CommittedRecord;
}

/** Holds new content for an event against the schema of its process. */
@Injectable()
export class JudgeAmendment {
  constructor(
    private readonly work: UnitOfWork,
    private readonly schemas: CheckMetadata,
    private readonly find: FindEvent,
    private readonly maps: ProcessMapQueries,
  ) {}

  /** What the schema says about the new content, found out while no transaction waits for it. @throws as `examine` */
  async judge(actor: Actor, eventId: string, metadata: Readonly<Record<string, unknown>>): Promise<JudgedContent> {
    const published = await this.work.inTransaction(actor, async (tx) => {
      const corrected = await this.find.byId(tx, actor, eventId);
      requireLanded(corrected);
      return this.processOf(tx, corrected);
    });
    return this.by(actor, published, metadata);
  }

  async by(actor: Actor, published: PublishedProcess, metadata: object): Promise<JudgedContent> {
    const verdict = await this.schemas.verdict(actor.tenantId, published, metadata);
    return { published, verdict };
  }

  /** @throws DomainError 422 `invalid_content` where no map has it any more */
  async processOf(tx: TenantTx, { processType }: CommittedRecord): Promise<PublishedProcess> {
    const published = processType === null ? null : await this.maps.process(tx, processType);
    if (!published)
      throw invalidContent([{ pointer: '', code: 'unknown_process_type', message: 'no published map has the process of this event' }]);
    return published;
  }
}

/** Validates new content for an event, and checks that landing would accept its sender. */
@Injectable()
export class ExamineAmendment {
  constructor(
    private readonly judging: JudgeAmendment,
    private readonly find: FindEvent,
    private readonly corrections: CorrectionQueries,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope`, `not_entitled`, 409 `event_not_landed`, `event_voided`, 422 */
  async examine(
    tx: TenantTx,
    actor: Actor,
    {
      eventId,
      metadata,
      sender,
      judged,
    }: {
      readonly eventId: string;
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly sender: string | null;
      readonly judged: JudgedContent;
    },
  ): Promise<ExaminedAmendment> {
    const now = this.clock.now();
    const corrected = await this.find.byId(tx, actor, eventId);
    requireLanded(corrected);
    if (!(await this.counts(tx, corrected, sender))) throw notEntitled(sender);
    const published = await this.judging.processOf(tx, corrected);
    // Only where a map was published since is there anything to find out here.
    const { verdict } = judged.published.map.cid === published.map.cid ? judged : await this.judging.by(actor, published, metadata);
    return { ...examineAmendment(corrected, published, metadata, verdict, now), now, generated: null, corrected };
  }

  /** A correction counts from the recorder of the event and from admins of the contract. Without a sender this cannot be checked yet. */
  private async counts(tx: TenantTx, event: CommittedRecord, from: string | null): Promise<boolean> {
    return from === null || from === event.actor || this.corrections.isContractAdmin(tx, event.contract!, from);
  }
}

/**
 * `POST /events/{id}/supersede/prepare`: an event of the same process with better content. What the first one did to lots is kept;
 * when the second lands, the first is superseded and declared wrong.
 */
@Injectable()
export class PrepareSupersede extends ContentCorrections {
  static readonly roles: readonly Role[] = CORRECTORS;

  constructor(
    private readonly prepareCall: PrepareCall,
    private readonly judging: JudgeAmendment,
    private readonly examination: ExamineAmendment,
    private readonly drafts: MakeDrafts,
    private readonly saving: SaveDrafts,
  ) {
    super();
  }

  supersede(actor: Actor, request: SupersedeRequest): Promise<PreparedEvent> {
    return this.prepare(actor, request);
  }

  /** @throws DomainError as `ExamineAmendment`, 422 `invalid_content`, `tx_would_revert` */
  @Span('prepare a correction')
  async prepare(actor: Actor, request: SupersedeRequest): Promise<PreparedEvent> {
    requireRole(actor, PrepareSupersede.roles);
    const judged = await this.judging.judge(actor, request.eventId, request.metadata);
    const { event } = await this.prepareCall.prepare<ExaminedAmendment>(actor, {
      roles: PrepareSupersede.roles,
      from: request.from,
      examine: (tx, sender) => this.examine(tx, actor, request, sender, judged),
      contractOf: ({ corrected }) => corrected.contract!,
      event: this.attachEvent(actor, request),
      calls: ({ corrected }, e) => [{ method: 'amendEvent', args: { eventId: corrected.chainEventId, e } }],
    });
    return event!;
  }

  private async examine(
    tx: TenantTx,
    actor: Actor,
    { eventId, metadata }: SupersedeRequest,
    sender: string | null,
    judged: JudgedContent,
  ): Promise<ExaminedAmendment> {
    const examined = await this.examination.examine(tx, actor, { eventId, metadata, sender, judged });
    const errors = errorsOf(examined.issues);
    if (errors.length > 0) throw invalidContent(errors.map(({ pointer, code, message }) => ({ pointer, code, message })));
    return examined;
  }

  private attachEvent(actor: Actor, { reason, metadata }: SupersedeRequest): Attach<ExaminedAmendment> {
    return async ({ corrected, event, issues, now }, sender, prepare) => {
      const { processType } = corrected;
      const submission = { processType: processType!, inputTokenIds: [], outputTlc: null, outputCustodian: null, metadata, from: sender };
      const correction = { supersedes: corrected.id, reason };
      const draft = await this.drafts.draft(actor, corrected.contract!, { submission, event: event!, issues, now, correction });
      const call = { method: 'amendEvent', args: { eventId: corrected.chainEventId, e: draft.ref } };
      return (await this.saving.save(actor, [{ draft, call, prepared: await prepare(draft.ref) }]))[0]!;
    };
  }
}
