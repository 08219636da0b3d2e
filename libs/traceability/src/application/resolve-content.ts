import { Injectable } from '@nestjs/common';
import { ContentStore, inTime, TOO_LATE } from '#content-storage';
import { Clock, type Hex } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { tenantByTenant } from '#queue';
import { LandedEvent } from '../domain/projection-landed.js';
import { type ForeignContent, foreignContent, namesEvent } from '../domain/projection-content.js';
import { type Unresolved, UnresolvedEvents } from '../ports.js';

const AT_ONCE = 20;
/** For one answer: content that exists nowhere must not keep the rest waiting. */
const LIMIT_MS = 10_000;

/**
 * Asks again for the content of events that landed without it: sent to the contract by others, or while the store was away. What is
 * found is read as it would have been on landing, and the event and its lots get the words that the chain vouches for.
 */
@Injectable()
export class ResolveContent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly contents: ContentStore,
    private readonly events: UnresolvedEvents,
    private readonly clock: Clock,
  ) {}

  /** @returns how many were resolved */
  async resolve(leaving = new AbortController().signal): Promise<number> {
    const due = await this.work.asSystem((tx) => this.events.take(tx, this.clock.now(), AT_ONCE));
    const found = await Promise.all(due.map(async (event) => ({ tenantId: event.tenantId, event, content: await this.contentOf(event) })));
    let resolved = 0;
    await tenantByTenant(found, leaving, async ({ tenantId, event, content }) => {
      if (content && (await this.work.inTransaction({ tenantId }, (tx) => this.write(tx, event, content)))) resolved++;
    });
    return resolved;
  }

  private async contentOf(event: Unresolved): Promise<ForeignContent | null> {
    const bytes = await inTime(this.contents.get(event.cid), LIMIT_MS);
    if (bytes === TOO_LATE) return null;
    const named = (id: string): boolean => namesEvent(id, event.id, event.chainEventId as Hex);
    return bytes && foreignContent(bytes, { chainId: event.chainId, contract: event.contract, named });
  }

  private async write(tx: TenantTx, event: Unresolved, content: ForeignContent): Promise<boolean> {
    const found = await this.events.recording(tx, event);
    if (!found) return false;
    const landed = new LandedEvent(event.id, found.recording, {
      prepared: null,
      content,
      maps: await this.events.maps(tx),
      orgId: found.orgId,
    });
    landed.took((tokenId) => found.inputs.get(tokenId));
    landed.retired(found.retired);
    await this.events.write(tx, landed, this.clock.now());
    return true;
  }
}
