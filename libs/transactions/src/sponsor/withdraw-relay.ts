import { Injectable } from '@nestjs/common';
import { PasskeyAccounts } from '#identity';
import type { SystemTx } from '#persistence';
import type { Relay } from '../relay/relays.queries.js';
import { ReadTrackingContext } from '../tracking/read-tracking-context.js';
import { TrackedQueries } from '../tracking/tracked-transactions.queries.js';
import { PublishOutcome } from '../watching/publish-outcome.js';

/** A relay that will not land: its calls can be relayed again, and their events are prepared as before. */
@Injectable()
export class WithdrawRelay {
  constructor(
    private readonly tracked: TrackedQueries,
    private readonly accounts: PasskeyAccounts,
    private readonly outcome: PublishOutcome,
    private readonly context: ReadTrackingContext,
  ) {}

  withdraw(tx: SystemTx, relay: Relay, reason: string, { head, at }: { readonly head: number; readonly at: Date }): Promise<void> {
    return tx.forTenant(relay.tenantId, async (own) => {
      const calls = (await this.tracked.ofRelay(own, relay.id)).filter(({ final }) => !final);
      for (const call of calls) call.giveUp(reason);
      await this.tracked.save(own, calls);
      await this.accounts.releaseCalls(own, relay.prepared);
      const context = await this.context.pollContext(own, { at, nodeHead: head, dropAfterMs: Number.POSITIVE_INFINITY });
      await this.outcome.publish(own, calls, context);
    });
  }
}
