import { ChainHead, ChainProfile } from '#chain';
import { Parties } from '#identity';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type EventRecord, processOfEvent } from '../persistence/event-reads.js';
import { loadPublicPointers } from '../persistence/map-words.js';
import type { EventView } from './events-read.shapes.js';
import { eventView } from './events-read.view.js';

/** Events as they are shown to somebody: what stands around them is asked for once for all of them. */
@Injectable()
export class EventViews {
  constructor(
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
  ) {}

  async of(tx: TenantTx, actor: Actor, events: readonly EventRecord[]): Promise<EventView[]> {
    const addresses = events.flatMap((event) => event.actorAddress ?? []);
    const labels = await this.parties.labels(tx, [...new Set(addresses)]);
    const publicPointers = await loadPublicPointers(tx, events.map(processOfEvent));
    const { final } = await this.chainHead.position(tx);
    const around = { actor, labels, publicPointers, chainId: this.chain.chainId, finalBlock: final };
    return events.map((event) => eventView(event, around));
  }
}
