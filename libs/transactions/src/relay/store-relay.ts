import { Injectable } from '@nestjs/common';
import { ChainProfile, deployAccount, keyIdOf } from '#chain';
import type { AccountPasskey, CallForAccount, PasskeyAccount } from '#identity';
import { type Actor, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { EventTracking } from '#traceability';
import { notSponsorable } from '../errors.js';
import { recordedEvent } from '../observation/recorded-event.client.js';
import type { SponsorState } from '../sponsorship/sponsorship.queries.js';
import { TrackedTransaction } from '../tracking/tracked-transaction.js';
import { TrackedQueries } from '../tracking/tracked-transactions.queries.js';
import { nextPlace, RelaysQueries } from './relays.queries.js';

/** Calls to relay: what was prepared, and the signature over it. */
export interface RelayRequest {
  /** EIP-55; absent: the account that is the member's wallet. */
  readonly account?: string | undefined;
  /** Ids, in the order that was signed. */
  readonly prepared: readonly string[];
  readonly lane: number;
  readonly sequence: number;
  /** Seconds since 1970. */
  readonly deadline: number;
  /** The credential, as JSON of WebAuthn. */
  readonly credential: Readonly<Record<string, unknown>>;
}

export interface Relayed {
  readonly relayId: string;
  /** One a call, in their order. */
  readonly trackingIds: readonly string[];
}

export interface SignedBatch {
  readonly actor: Actor;
  readonly account: PasskeyAccount;
  readonly passkey: AccountPasskey;
  readonly calls: readonly CallForAccount[];
  readonly request: RelayRequest;
  /** Calldata for the account. */
  readonly data: string;
  readonly sponsor: SponsorState;
}

export interface Reservation {
  /** The most that the batch can cost. */
  readonly batchWei: bigint;
  /** The most that the deployment of the account can cost. */
  readonly deployWei: bigint;
  /** Of its lane, as the chain says. */
  readonly next: number;
}

@Injectable()
export class StoreRelay {
  constructor(
    private readonly relays: RelaysQueries,
    private readonly tracked: TrackedQueries,
    private readonly events: EventTracking,
    private readonly chain: ChainProfile,
  ) {}

  get chainId(): number {
    return this.chain.chainId;
  }

  /** The relay, a tracking for each of its calls, and their events. @throws DomainError 422 `not_sponsorable` */
  async store(tx: TenantTx, batch: SignedBatch, { batchWei, deployWei, next, at }: Reservation & { readonly at: Date }): Promise<Relayed> {
    const { actor, account, passkey, calls, data, request } = batch;
    const { chainId } = this.chain;
    await this.requireNext(tx, batch, next);
    const relayId = newId();
    const landsUntil = new Date(request.deadline * 1_000);
    const inserted = await this.relays.insert(tx, {
      ...{ tenantId: actor.tenantId, id: relayId, chainId, account: account.address, userId: actor.id, passkeyId: passkey.id },
      paidBy: batch.sponsor.address,
      ...{ keyId: keyIdOf(passkey.key), lane: request.lane, sequence: request.sequence, deadline: landsUntil, data },
      ...{ factory: account.factory, deploy: deployAccount(account.config), prepared: calls.map(({ id }) => id), createdAt: at },
      ...{ batchWei, deployWei },
    });
    if (!inserted) throw notSponsorable('place_taken');
    const tracked = calls.map(({ to, data: call }, callIndex) =>
      TrackedTransaction.relayed(
        actor,
        { id: newId(), chainId, type: 'relay', at },
        {
          ...{ relayId, callIndex, paidBy: batch.sponsor.address, signedBy: passkey.id, landsUntil, from: account.address, to },
          ...recordedEvent(call),
        },
      ),
    );
    await this.tracked.addRelayed(tx, tracked);
    const sent = tracked.flatMap(({ eventId, eventDataHash: dataHash, from }) =>
      eventId && dataHash ? [{ eventId, dataHash, from: from!, status: 'submitted' as const }] : [],
    );
    await this.events.follow(tx, sent, at);
    await this.events.relay(
      tx,
      sent.map((one) => ({ ...one, signedBy: passkey.id, paidBy: batch.sponsor.address })),
      at,
    );
    return { relayId, trackingIds: tracked.map(({ id }) => id) };
  }

  /** A batch with a place after the next one could not be sent, and would hold its part of the budget until its deadline. */
  private async requireNext(tx: TenantTx, { account, passkey, request }: SignedBatch, next: number): Promise<void> {
    const { lane, sequence } = request;
    const place = nextPlace(next, (await this.relays.lanes(tx, account.address, keyIdOf(passkey.key))).get(lane));
    if (sequence !== place) throw notSponsorable(sequence < place ? 'place_taken' : 'place_not_next');
  }
}
