import { Injectable } from '@nestjs/common';
import { keyIdOf } from '#chain';
import { type AccountPasskey, PasskeyAccounts } from '#identity';
import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { notSponsorable, relayNotFound } from '../errors.js';
import { ReadTrackingContext } from '../tracking/read-tracking-context.js';
import { AccountClient } from './account.client.js';
import { type Relay, RelaysQueries } from './relays.queries.js';

const LANES = 7;

/** Where the next batch of each passkey has its place. */
export interface RelayPlaces {
  /** EIP-55. */
  readonly account: string;
  readonly chainId: number;
  readonly deployed: boolean;
  readonly now: Date;
  readonly keys: readonly (AccountPasskey & { readonly lane: number; readonly sequence: number })[];
}

/** What a client needs before it signs, and what became of what it sent. */
@Injectable()
export class ReadRelay {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: PasskeyAccounts,
    private readonly relays: RelaysQueries,
    private readonly client: AccountClient,
    private readonly context: ReadTrackingContext,
  ) {}

  /** @throws DomainError 422 `not_sponsorable` without an account; EngineUnavailable('chain') */
  async places(actor: Actor): Promise<RelayPlaces> {
    const known = await this.accounts.of(actor);
    if (!known) throw notSponsorable('no_account');
    const { address } = known.account;
    const deployed = await this.client.isDeployed(address);
    const keys = await Promise.all(
      known.passkeys.map(async (passkey) => {
        const keyId = keyIdOf(passkey.key);
        const underway = await this.unitOfWork.read(actor, (tx) => this.relays.underway(tx, address, keyId));
        const lanes = Array.from({ length: LANES }, (_, lane) => lane);
        const lane = lanes.find((one) => !underway.has(one)) ?? lanes.toSorted((a, b) => underway.get(a)! - underway.get(b)!)[0]!;
        const next = deployed ? await this.client.nextSequence(address, keyId, lane) : 0;
        return { ...passkey, lane, sequence: next + (underway.get(lane) ?? 0) };
      }),
    );
    return { account: address, chainId: this.context.chainId, deployed, now: this.context.now(), keys };
  }

  /** @throws DomainError 404 `relay_not_found` */
  async byId(actor: Actor, id: string): Promise<Relay> {
    const relay = isUuid(id) ? await this.unitOfWork.read(actor, (tx) => this.relays.byId(tx, id.toLowerCase())) : null;
    if (!relay) throw relayNotFound(id);
    return relay;
  }
}
