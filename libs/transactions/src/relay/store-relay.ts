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
import { RelaysQueries } from './relays.queries.js';

/** Calls to relay: what was prepared, and the signature over it. */
export interface RelayRequest {
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
  async store(tx: TenantTx, batch: SignedBatch, { wei, at }: { readonly wei: bigint; readonly at: Date }): Promise<Relayed> {
    const { actor, account, passkey, calls, data, request } = batch;
    const { chainId } = this.chain;
    const relayId = newId();
    const landsUntil = new Date(request.deadline * 1_000);
    const inserted = await this.relays.insert(tx, {
      ...{ tenantId: actor.tenantId, id: relayId, chainId, account: account.address, userId: actor.id, passkeyId: passkey.id },
      ...{ keyId: keyIdOf(passkey.key), lane: request.lane, sequence: request.sequence, deadline: landsUntil, data },
      ...{ factory: account.factory, deploy: deployAccount(account.config), prepared: calls.map(({ id }) => id), wei, createdAt: at },
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
    return { relayId, trackingIds: tracked.map(({ id }) => id) };
  }
}
