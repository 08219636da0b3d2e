import { Injectable } from '@nestjs/common';
import { ChainHead, ChainProfile } from '#chain';
import { Tenants } from '#identity';
import { Clock, type TopicMessage } from '#kernel';
import { forgetPublished, type SystemTx, UnitOfWork } from '#persistence';
import { PeriodicJob } from '#queue';
import { eventRetracted } from '../topics.js';
import { dropFoundAgain, dueRetractions, markAnnounced, type Retraction } from './retractions.queries.js';

const BATCH = 500;

/**
 * Every ten seconds: final events whose block was undone, by a deep reorganisation or by an operator. Those that landed again are no
 * retractions. Where the chain has become final beyond their block without them, their tenant is informed (docs/spec/reliability.md#chain).
 */
@Injectable()
export class AnnounceRetractionsJob extends PeriodicJob {
  readonly name = 'traceability.announce-retractions';
  readonly everyMs = 10_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
    private readonly tenants: Tenants,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(leaving: AbortSignal): Promise<void> {
    for (let announced = BATCH; announced === BATCH && !leaving.aborted;) announced = await this.work.asSystem((tx) => this.announce(tx));
  }

  /** @returns how many */
  private async announce(tx: SystemTx): Promise<number> {
    const { chainId } = this.chain;
    await dropFoundAgain(tx, chainId);
    // A reindex is on its way: what is missing may still come.
    if (await this.chainHead.isRebuilding(tx)) return 0;
    const { final } = await this.chainHead.position(tx);
    const due = await dueRetractions(tx, chainId, final, BATCH);
    if (due.length === 0) return 0;
    const at = this.clock.now();
    for (const tenantId of new Set(due.map((each) => each.tenantId))) {
      const own = due.filter((each) => each.tenantId === tenantId);
      const { slug } = await this.tenants.byId(tenantId);
      await tx.forTenant(tenantId, (tenantTx) => tenantTx.publish(own.map((each) => messageOf(each, slug, at))));
      // If one of them lands after all, its topics are sent again.
      await forgetPublished(tx, tenantId, chainId, [...new Set(own.map(({ txHash }) => txHash))]);
    }
    await markAnnounced(tx, due, at);
    return due.length;
  }
}

function messageOf({ id, eventId, chainId, blockNumber, blockTime, txHash, facts }: Retraction, slug: string, at: Date): TopicMessage {
  const occurredAt = blockTime.toISOString();
  const data = { ...facts, tenantId: slug, chainId, txHash, blockNumber, occurredAt, eventId, retractedAt: at.toISOString() };
  return eventRetracted(data, { key: `event.retracted:${id}`, occurredAt: at });
}
