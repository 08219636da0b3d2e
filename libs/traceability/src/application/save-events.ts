import { Injectable, Optional } from '@nestjs/common';
import type { PreparedCall } from '#chain';
import { ContentStore } from '#content-storage';
import { Quotas } from '#identity';
import { type Actor, inTurns } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { PreparedEvent } from '../contract.js';
import { mainTlc } from '../domain/canonical-event.js';
import { sentenceOf, warningsOf } from '../domain/issue.js';
import { preparedRow } from '../domain/prepared-event.js';
import { EventSettings, PreparedEvents } from '../ports.js';
import type { Draft } from './draft-events.js';

/** A draft that the chain would take. */
export interface Ready {
  readonly draft: Draft;
  /** The part of the call that the event's row keeps. */
  readonly call: { readonly method: string; readonly args: Readonly<Record<string, unknown>> };
  readonly prepared: PreparedCall;
}

/** Stores contents, then rows: content without a row (a crash in between) harms nobody, since nothing refers to it. */
@Injectable()
export class SaveEvents {
  private readonly settings: EventSettings;

  constructor(
    private readonly work: UnitOfWork,
    private readonly events: PreparedEvents,
    private readonly contents: ContentStore,
    private readonly quotas: Quotas,
    @Optional() settings?: EventSettings,
  ) {
    this.settings = settings ?? new EventSettings();
  }

  /** All of them or none; the answers in the order of the drafts. @throws DomainError 429 `quota_exceeded`, EngineUnavailable */
  async save(actor: Actor, all: readonly Ready[]): Promise<PreparedEvent[]> {
    if (all.length === 0) return [];
    const stored = await this.contents.putAll(all.map(({ draft }) => draft.bytes));
    const rows = await inTurns(all, ({ draft, call, prepared }, i) =>
      preparedRow(actor, draft.event, draft.submission, draft, {
        stored: stored[i]!,
        call: { ...call, calldata: prepared.preparedTx.data },
        warnings: warningsTold(draft, prepared),
        ttlSeconds: this.settings.preparedTtlSeconds,
      }),
    );
    const bytes = all.reduce((sum, { draft }) => sum + draft.bytes.length, 0);
    await this.work.inTransaction(actor, async (tx) => {
      await this.quotas.take(tx, { events: rows.length, bytes });
      await this.events.insert(tx, rows);
    });
    return all.map(({ draft, prepared }, i) => ({
      ...prepared,
      warnings: warningsTold(draft, prepared),
      eventId: draft.eventId,
      ipfsCid: stored[i]!.cid,
      dataHash: draft.dataHash,
      outputTlc: mainTlc(draft.event),
    }));
  }
}

const warningsTold = (draft: Draft, prepared: PreparedCall): string[] => [
  ...warningsOf(draft.issues).map(sentenceOf),
  ...prepared.warnings,
];
