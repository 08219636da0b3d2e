import { type Actor, type DomainError, invalidContent, mapYielding } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Processes } from '#traceability';
import { Injectable } from '@nestjs/common';
import { CaptureQueries } from './capture.queries.js';
import type { DocumentEvent } from './document-event.js';
import { type MappedEvent, mapEvent, namesIn } from './event-mapping.js';

/** An event of a document with the event of the tenant's own processes that was made from it. */
export interface EventToPrepare {
  readonly source: DocumentEvent;
  readonly mapped: MappedEvent;
}

/** What a part of a document does not say itself. */
export interface WholeDocument {
  /** Which of its events makes a lot, by the text of its key. */
  readonly makers?: ReadonlyMap<string, number>;
  /** Reads the texts of XML as the process wants them: XML has no numbers, and no list of one. */
  readonly typed?: (processType: string, metadata: Metadata) => Metadata;
}

type Metadata = Readonly<Record<string, unknown>>;

/** Maps events of a document to processes of the tenant: names, lots and sites are looked up in one query each. */
@Injectable()
export class MapEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly processes: Processes,
    private readonly queries: CaptureQueries,
  ) {}

  /**
   * @param refuse takes what cannot be mapped
   * @param document where these are some of its events
   * @returns the others, in their order
   */
  async map(
    actor: Actor,
    events: readonly DocumentEvent[],
    refuse: (event: DocumentEvent, refusal: DomainError) => void,
    document: WholeDocument = {},
  ): Promise<readonly EventToPrepare[]> {
    const tenant = actor.tenantSlug;
    const names = await mapYielding(events, ({ event }) => namesIn(event, tenant));
    const named = names.flatMap((one) => one.uses);
    const glns = [...new Set(names.flatMap((one) => one.glns))];
    const made = document.makers ?? new Map(events.flatMap(({ index }, i) => names[i]!.makes.map((key) => [key, index])));
    const context = await this.work.inSnapshot(actor, async (tx) => ({
      tenant,
      made,
      processes: await this.processes.catalogue(tx),
      lots: await this.queries.lots(tx, named, actor.wallets),
      sites: await this.queries.sites(tx, glns),
    }));
    const results = await mapYielding(events, ({ event, pointer, index }) => mapEvent(event, pointer, context, index));
    return events.flatMap((source, i) => {
      const result = results[i]!;
      if ('processType' in result) {
        const metadata = document.typed?.(result.processType, result.metadata) ?? result.metadata;
        return [{ source, mapped: { ...result, metadata } }];
      }
      refuse(source, invalidContent(result));
      return [];
    });
  }
}
