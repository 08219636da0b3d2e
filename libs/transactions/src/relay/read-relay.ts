import { Injectable } from '@nestjs/common';
import { keyIdOf } from '#chain';
import { type AccountPasskey, PasskeyAccounts } from '#identity';
import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { notSponsorable, relayNotFound } from '../errors.js';
import { ReadTrackingContext } from '../tracking/read-tracking-context.js';
import { AccountClient } from './account.client.js';
import { nextPlace, type Relay, RelaysQueries, type UsedLane } from './relays.queries.js';

const LANES = 7;

/** Where the next batch of each passkey has its place. */
export interface RelayPlaces {
  /** EIP-55. */
  readonly account: string;
  readonly chainId: number;
  readonly deployed: boolean;
  readonly now: Date;
  readonly keys: readonly (AccountPasskey & { readonly signs: boolean; readonly lane: number; readonly sequence: number })[];
}

const LANE_NUMBERS = Array.from({ length: LANES }, (_, lane) => lane);

/** The first one in which nothing is on its way, else one with the least. */
const emptiest = (used: ReadonlyMap<number, UsedLane>): number =>
  LANE_NUMBERS.toSorted((a, b) => (used.get(a)?.underway ?? 0) - (used.get(b)?.underway ?? 0))[0]!;

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

  /** @param of EIP-55; absent: the account that is the member's wallet @throws DomainError 422 `not_sponsorable` without an account; EngineUnavailable('chain') */
  async places(actor: Actor, of?: string): Promise<RelayPlaces> {
    const known = await this.accounts.of(actor, of);
    if (!known) throw notSponsorable('no_account');
    const { address } = known.account;
    const lanes = await this.unitOfWork.read(actor, (tx) =>
      Promise.all(known.passkeys.map(({ key }) => this.relays.lanes(tx, address, keyIdOf(key)))),
    );
    const places = known.passkeys.map(({ key }, i) => ({ keyId: keyIdOf(key), lane: emptiest(lanes[i]!) }));
    const { deployed, places: found } = await this.client.places(known.account, places);
    const keys = known.passkeys.map((passkey, i) => {
      const [{ lane }, { next, signs }] = [places[i]!, found[i]!];
      return { ...passkey, signs, lane, sequence: nextPlace(next, lanes[i]!.get(lane)) };
    });
    return { account: address, chainId: this.context.chainId, deployed, now: this.context.now(), keys };
  }

  /** @throws DomainError 404 `relay_not_found` */
  async byId(actor: Actor, id: string): Promise<Relay> {
    const relay = isUuid(id) ? await this.unitOfWork.read(actor, (tx) => this.relays.byId(tx, id.toLowerCase())) : null;
    if (!relay) throw relayNotFound(id);
    return relay;
  }
}
