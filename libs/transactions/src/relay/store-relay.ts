import { Injectable } from '@nestjs/common';
import { ChainProfile, deployAccount, keyIdOf } from '#chain';
import { type AccountPasskey, type CallForAccount, type PasskeyAccount, PasskeyAccounts } from '#identity';
import { type Actor, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { EventTracking } from '#traceability';
import { notSponsorable } from '../errors.js';
import { recordedEvent } from '../observation/recorded-event.client.js';
import type { SponsorState } from '../sponsorship/sponsorship.queries.js';
import { TrackedTransaction } from '../tracking/tracked-transaction.js';
import { TrackedQueries } from '../tracking/tracked-transactions.queries.js';
import { type NewRelay, nextPlace, RelaysQueries } from './relays.queries.js';

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
    private readonly accounts: PasskeyAccounts,
    private readonly tracked: TrackedQueries,
    private readonly events: EventTracking,
    private readonly chain: ChainProfile,
  ) {}

  get chainId(): number {
    return this.chain.chainId;
  }

  /** Of the batch's lane. @param next of the chain */
  async nextPlace(tx: TenantTx, { account, passkey, request }: SignedBatch, next: number): Promise<number> {
    return nextPlace(next, (await this.relays.lanes(tx, account.address, keyIdOf(passkey.key))).get(request.lane));
  }

  /** The relay, a tracking for each of its calls, and their events, in one exchange. @throws DomainError 422 `not_sponsorable` */
  async store(tx: TenantTx, batch: SignedBatch, reservation: Reservation & { readonly at: Date }): Promise<Relayed> {
    const { account, passkey, calls, sponsor } = batch;
    const { at } = reservation;
    const relay = this.relayOf(batch, reservation);
    const tracked = this.trackedOf(batch, relay, at);
    const sent = tracked.flatMap(({ eventId, eventDataHash: dataHash, from }) =>
      eventId && dataHash ? [{ eventId, dataHash, from: from!, status: 'submitted' as const }] : [],
    );
    const relayed = sent.map((one) => ({ ...one, signedBy: passkey.id, paidBy: sponsor.address }));
    const ids = calls.map(({ id }) => id);
    const [areUnused, inserted] = await Promise.all([
      this.accounts.useCalls(tx, account.address, ids),
      this.relays.insert(tx, relay),
      this.tracked.addRelayed(tx, tracked),
      this.events.follow(tx, sent, at),
      this.events.relay(tx, relayed, at),
    ]);
    // Somebody has relayed one of them meanwhile.
    if (!areUnused) throw notSponsorable('unknown_call');
    if (!inserted) throw notSponsorable('place_taken');
    return { relayId: relay.id, trackingIds: tracked.map(({ id }) => id) };
  }

  private relayOf(batch: SignedBatch, { batchWei, deployWei, at }: Reservation & { readonly at: Date }): NewRelay {
    const { actor, account, passkey, calls, data, request } = batch;
    return {
      ...{ tenantId: actor.tenantId, id: newId(), chainId: this.chain.chainId, account: account.address, userId: actor.id },
      ...{ passkeyId: passkey.id, paidBy: batch.sponsor.address, keyId: keyIdOf(passkey.key) },
      ...{ lane: request.lane, sequence: request.sequence, deadline: new Date(request.deadline * 1_000), data },
      ...{ factory: account.factory, deploy: deployAccount(account.config), prepared: calls.map(({ id }) => id), createdAt: at },
      ...{ batchWei, deployWei },
    };
  }

  private trackedOf({ actor, calls }: SignedBatch, relay: NewRelay, at: Date): TrackedTransaction[] {
    const { id: relayId, chainId, paidBy, passkeyId: signedBy, deadline: landsUntil, account: from } = relay;
    return calls.map(({ to, data }, callIndex) =>
      TrackedTransaction.relayed(
        actor,
        { id: newId(), chainId, type: 'relay', at },
        { relayId, callIndex, paidBy, signedBy, landsUntil, from, to, ...recordedEvent(data) },
      ),
    );
  }
}
