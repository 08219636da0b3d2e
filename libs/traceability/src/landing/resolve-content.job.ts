import { Injectable } from '@nestjs/common';
import { ContentStore, inTime, TOO_LATE } from '#content-storage';
import { ContentFault, ENVELOPE_VERSION, versionOf } from '#envelope';
import { Clock, type Hex } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { OpenContents } from '#sealed-contents';
import { PeriodicJob, forEachTenant } from '#queue';
import { LandedEvent } from './landed-event.js';
import { type ExternalContent, externalContent, namesEvent, openedContent } from './external-content.js';
import { loadSealingStart } from './sealing-start.queries.js';
import { type Unresolved, UnresolvedQueries } from './unresolved-events.queries.js';

const AT_ONCE = 20;
/** For one answer: content that exists nowhere must not keep the rest waiting. */
const LIMIT_MS = 10_000;

/**
 * Every ten seconds, for those that are due. Asks again for the content of events that landed without it: sent to the contract by others, or while the store was away. What is
 * found is read as it would have been on landing, and the event and its lots get the words that the chain vouches for.
 */
@Injectable()
export class ResolveContentJob extends PeriodicJob {
  readonly name = 'traceability.resolve-content';
  readonly everyMs = 10_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly contents: ContentStore,
    private readonly opening: OpenContents,
    private readonly events: UnresolvedQueries,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @returns how many were resolved */
  override async run(leaving: AbortSignal): Promise<number> {
    const due = await this.work.writeAsSystem((tx) => this.events.take(tx, this.clock.now(), AT_ONCE));
    const found = await Promise.all(due.map(async (event) => ({ tenantId: event.tenantId, event, content: await this.contentOf(event) })));
    let resolved = 0;
    await forEachTenant(found, leaving, async ({ tenantId, event, content }) => {
      if (content && (await this.work.inTransaction({ tenantId }, (tx) => this.settle(tx, event, content)))) resolved++;
    });
    return resolved;
  }

  /** The bytes of a CID never change: what is no content of its event is not asked for again. */
  private async settle(tx: TenantTx, event: Unresolved, content: ExternalContent | 'content_invalid'): Promise<boolean> {
    if (content !== 'content_invalid') return this.write(tx, event, content);
    await this.events.giveUp(tx, event.id, content);
    return false;
  }

  /** Null where there are no bytes yet. */
  private async contentOf(event: Unresolved): Promise<ExternalContent | 'content_invalid' | null> {
    const bytes = await inTime(this.contents.get(event.cid), LIMIT_MS);
    if (bytes === TOO_LATE || bytes === null) return null;
    const named = (id: string): boolean => namesEvent(id, event.id, event.chainEventId as Hex);
    const about = { chainId: event.chainId, contract: event.contract, named };
    if (versionOf(bytes) !== ENVELOPE_VERSION) return externalContent(bytes, about) ?? 'content_invalid';
    const block = (await this.opening.openAll(event, [{ cid: event.cid, bytes }])).get(event.cid)!;
    return (block instanceof ContentFault ? null : openedContent(block, about)) ?? 'content_invalid';
  }

  private async write(tx: TenantTx, event: Unresolved, content: ExternalContent): Promise<boolean> {
    // Something was erased since it was opened: the next run opens it again.
    const opened = content.version === 2 ? [{ cid: event.cid, erased: content.erased.length }] : [];
    if ((await this.opening.outdated(tx, opened)).size > 0) return false;
    const found = await this.events.recording(tx, event);
    if (!found) return false;
    const landed = new LandedEvent(event.id, found.recording, {
      prepared: null,
      content,
      maps: await this.events.maps(tx),
      orgId: found.orgId,
      sealedFrom: await loadSealingStart(tx),
    });
    landed.took((tokenId) => found.inputs.get(tokenId));
    landed.retired(found.retired);
    await this.events.write(tx, landed, this.clock.now());
    return true;
  }
}
