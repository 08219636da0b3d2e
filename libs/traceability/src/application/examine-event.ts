import { Injectable, Optional } from '@nestjs/common';
import { ChainHead } from '#chain';
import { Parties, requireProcess } from '#identity';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { type EventSubmission, Lots } from '../contract.js';
import { type EventContext, type NamedLot, claimOfLot, claimOfTlc } from '../domain/event-context.js';
import { MAX_INPUTS } from '../domain/event-lots.js';
import { readMetadata } from '../domain/event-reading.js';
import type { Issue } from '../domain/issue.js';
import { type PublishedProcess, rolesFor } from '../domain/process-map.js';
import { SchemaCompiler } from '../domain/schema-compiler.js';
import { isTlc, tlcTemplate } from '../domain/tlc.js';
import { type Examination, examine } from '../domain/validation.js';
import { EventSettings, LotBackgrounds, PreparedEvents, ProcessMaps } from '../ports.js';

/** Codes tried at once for a template with `{seq}`, and in all. */
const SEQUENCE_STEP = 32;
const SEQUENCE_END = 4096;

export interface Examined extends Examination {
  readonly now: Date;
}

/** Gathers what the rules look at in one read transaction and holds a submission against them. Stores nothing. */
@Injectable()
export class ExamineEvent {
  private readonly schemas = new SchemaCompiler();
  private readonly settings: EventSettings;

  constructor(
    private readonly work: UnitOfWork,
    private readonly maps: ProcessMaps,
    private readonly lots: Lots,
    private readonly backgrounds: LotBackgrounds,
    private readonly events: PreparedEvents,
    private readonly parties: Parties,
    private readonly head: ChainHead,
    private readonly clock: Clock,
    @Optional() settings?: EventSettings,
  ) {
    this.settings = settings ?? new EventSettings();
  }

  /** @throws DomainError 403 `process_out_of_scope`, before anything else is looked at */
  async examine(
    actor: Actor,
    submission: EventSubmission,
    options: { readonly riding?: boolean; readonly unreadable?: readonly Issue[] } = {},
  ): Promise<Examined> {
    if (submission.processType !== '') requireProcess(actor, submission.processType);
    const now = this.clock.now();
    const context = await this.work.inTransaction(actor, (tx) => this.gather(tx, actor, submission, now, options.riding ?? false));
    return { ...examine(submission, context, this.schemas, options.unreadable), now };
  }

  private async gather(tx: TenantTx, actor: Actor, submission: EventSubmission, now: Date, riding: boolean): Promise<EventContext> {
    const published = await this.maps.process(tx, submission.processType);
    if (published) requireProcess(actor, published.processType, rolesFor(published.process));
    const lots = await this.namedLots(tx, submission.inputTokenIds.slice(0, MAX_INPUTS));
    const outputs = published ? await this.outputCodes(tx, published, submission, now) : NO_OUTPUTS;
    const claims = [...outputs.tlcs.map(claimOfTlc), ...lots.map((lot) => claimOfLot(lot.tokenId))];
    return {
      published,
      knownProcessTypes: published ? [] : (await this.maps.processTypes(tx)).map((known) => known.processType),
      lots,
      takenTlcs: outputs.taken,
      generatedTlc: outputs.generated,
      claims: await this.events.claimed(tx, claims, now),
      sender: { address: submission.from, colleagues: await this.colleagues(tx, actor, submission.from, lots) },
      finalBlock: lots.length === 0 ? 0 : (await this.head.position(tx)).final,
      now,
      rules: this.settings,
      riding,
    };
  }

  private async namedLots(tx: TenantTx, tokenIds: readonly bigint[]): Promise<NamedLot[]> {
    if (tokenIds.length === 0) return [];
    const [facts, backgrounds] = [await this.lots.byTokenIds(tx, tokenIds), await this.backgrounds.of(tx, tokenIds)];
    const byId = new Map(backgrounds.map((background) => [background.tokenId, background]));
    return facts.map((lot) => ({
      expiresAt: null,
      depth: lot.isContainer ? 1 : 0,
      recallAffected: false,
      madeAt: null,
      gwp: null,
      ...byId.get(lot.tokenId),
      ...lot,
    }));
  }

  /** Codes that the event would mint, which of them are taken, and a free one from the template where none is given. */
  private async outputCodes(tx: TenantTx, { process }: PublishedProcess, submission: EventSubmission, now: Date) {
    const reading = readMetadata(submission.metadata, process, []);
    const given = [submission.outputTlc, ...reading.coProducts.map((line) => line.tlc)].filter(
      (tlc): tlc is string => tlc !== null && isTlc(tlc),
    );
    const template = process.tlc?.template;
    const generated =
      submission.outputTlc === null && process.outputs.min > 0 && template !== undefined
        ? await this.freeCode(tx, tlcTemplate(template, submission.metadata, reading.eventTime ?? now, reading.eventTimeZoneOffset), now)
        : null;
    const tlcs = generated === null ? given : [generated, ...given];
    return { tlcs, generated, taken: tlcs.length === 0 ? new Set<string>() : await this.backgrounds.takenTlcs(tx, tlcs) };
  }

  private async freeCode(tx: TenantTx, template: ReturnType<typeof tlcTemplate>, now: Date): Promise<string | null> {
    if (template.missing.length > 0) return null;
    if (!template.hasSequence) return template.code(0);
    for (let from = 1; from < SEQUENCE_END; from += SEQUENCE_STEP) {
      const codes = Array.from({ length: SEQUENCE_STEP }, (_, i) => template.code(from + i)).filter(isTlc);
      const [taken, claimed] = [await this.backgrounds.takenTlcs(tx, codes), await this.events.claimed(tx, codes.map(claimOfTlc), now)];
      const free = codes.find((code) => !taken.has(code) && !claimed.has(claimOfTlc(code)));
      if (free !== undefined) return free;
    }
    return null;
  }

  /** Asked only when somebody else than the sender holds an input. */
  private async colleagues(tx: TenantTx, actor: Actor, sender: string | null, lots: readonly NamedLot[]): Promise<ReadonlySet<string>> {
    const others = [...new Set(lots.map((lot) => lot.custodian))].filter((custodian) => custodian !== sender);
    if (sender === null || others.length === 0) return new Set();
    const labels = actor.orgId === null ? null : await this.parties.labels(tx, others);
    return new Set(others.filter((custodian) => actor.wallets.includes(custodian) || labels?.get(custodian)?.orgId === actor.orgId));
  }
}

const NO_OUTPUTS = { tlcs: [] as string[], generated: null, taken: new Set<string>() };
