import { Injectable } from '@nestjs/common';
import { Parties, Tenants } from '#identity';
import type { TenantTx } from '#persistence';
import { recallAcknowledged } from '../topics.js';
import type { Acknowledgement, ReachedLot } from './acknowledgement.js';
import type { Asking } from './acknowledgements.queries.js';

/** Publishes `recall.acknowledged`. */
@Injectable()
export class PublishAcknowledgements {
  constructor(
    private readonly tenants: Tenants,
    private readonly parties: Parties,
  ) {}

  async publish(
    tx: TenantTx,
    { id, drill }: Asking,
    added: readonly Acknowledgement[],
    lots: ReadonlyMap<bigint, ReachedLot>,
  ): Promise<void> {
    if (added.length === 0) return;
    const { slug } = await this.tenants.byId(tx.tenantId);
    const labels = await this.parties.labels(tx, [...new Set(added.map(({ holder }) => holder))]);
    await tx.publish(
      added.map((one) =>
        recallAcknowledged(
          {
            tenantId: slug,
            recallId: id,
            drill,
            tokenId: Number(one.tokenId),
            tlc: lots.get(one.tokenId)!.tlc,
            state: one.state,
            quantity: one.quantity,
            uom: one.uom,
            holder: one.holder,
            orgId: labels.get(one.holder)?.orgId ?? null,
            acknowledgedAt: one.at.toISOString(),
          },
          { key: `recall.acknowledged:${one.id}`, occurredAt: one.at },
        ),
      ),
    );
  }
}
