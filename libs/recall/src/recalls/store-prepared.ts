import { type Actor, Clock, senderOf } from '#kernel';
import type { TenantTx } from '#persistence';
import type { StoredContent } from '#prepare';
import { Injectable } from '@nestjs/common';
import { RecallQueries } from './recalls.queries.js';

/** Stores for whom a recall or a lifting was prepared: when it lands, somebody else may have signed it. */
@Injectable()
export class StorePrepared {
  constructor(
    private readonly recalls: RecallQueries,
    private readonly clock: Clock,
  ) {}

  /** @param from as the request names its sender */
  store(tx: TenantTx, actor: Actor, from: string | undefined, { dataHash }: Pick<StoredContent, 'dataHash'>): Promise<void> {
    return this.recalls.storePrepared(tx, dataHash, { sender: senderOf(actor, from), orgId: actor.orgId }, this.clock.now());
  }
}
