import { Injectable } from '@nestjs/common';
import { ContractDirectory, passkeyAccount, tenantLots } from '#chain';
import { type CallForAccount, type PasskeyAccount, PasskeyAccounts } from '#identity';
import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { notSponsorable } from '../errors.js';
import { CheckSponsorship } from '../sponsorship/check-sponsorship.js';
import type { SponsorState } from '../sponsorship/sponsorship.queries.js';
import { isKeyChange, isRelayed } from './relayed-method.js';
import { type Relayed, type RelayRequest, type Reservation, type SignedBatch, StoreRelay } from './store-relay.js';

const MAX_LIFETIME_SECONDS = 600;

/** What of a relay is decided and written in the database. */
@Injectable()
export class ReserveRelay {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: PasskeyAccounts,
    private readonly contracts: ContractDirectory,
    private readonly sponsorship: CheckSponsorship,
    private readonly store: StoreRelay,
  ) {}

  /**
   * What the request names, in its order, and who would send it.
   * @throws DomainError 422 `not_sponsorable`
   */
  async find(
    actor: Actor,
    account: PasskeyAccount,
    { prepared, deadline }: RelayRequest,
  ): Promise<{ readonly calls: readonly CallForAccount[]; readonly sponsor: SponsorState }> {
    const seconds = this.sponsorship.now().getTime() / 1_000;
    if (deadline <= seconds || deadline > seconds + MAX_LIFETIME_SECONDS) throw notSponsorable('deadline');
    const ids = prepared.map((id) => id.toLowerCase());
    if (!ids.every(isUuid) || new Set(ids).size < ids.length) throw notSponsorable('unknown_call');
    const [sponsor, found, contracts] = await this.unitOfWork.read(actor, (tx) =>
      Promise.all([
        this.sponsorship.sponsor(tx),
        this.accounts.unusedCalls(tx, account.address, ids),
        this.contracts.ofTenant(tx, this.store.chainId),
      ]),
    );
    const unused = new Map(found.map((call) => [call.id, call]));
    const calls = ids.map((id) => unused.get(id)).filter((call) => call !== undefined);
    if (calls.length < ids.length) throw notSponsorable('unknown_call');
    requireRelayed(account, calls, contracts);
    this.sponsorship.requireRunning(sponsor);
    return { calls, sponsor };
  }

  /** @throws DomainError 422 `not_sponsorable`, 429 `sponsorship_exhausted` */
  async take(batch: SignedBatch, reservation: Reservation): Promise<Relayed> {
    const { actor, request } = batch;
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      // The lock of the tenant is held for two exchanges with the database: here, and in the next lines.
      const [at, place] = await Promise.all([
        this.sponsorship.require(tx, actor.id, reservation.batchWei + reservation.deployWei),
        this.store.nextPlace(tx, batch, reservation.next),
      ]);
      // A batch with a place after the next one could not be sent, and would hold its part of the budget until its deadline.
      if (request.sequence !== place) throw notSponsorable(request.sequence < place ? 'place_taken' : 'place_not_next');
      return this.store.store(tx, batch, { ...reservation, at });
    });
  }
}

/** Every call is a known one, of a contract of this tenant or of the account itself. @throws DomainError 422 `not_sponsorable` */
function requireRelayed(account: PasskeyAccount, calls: readonly CallForAccount[], contracts: readonly string[]): void {
  const holder = account.userId === null ? 'organisation' : 'member';
  const mayBeSent = ({ to, data }: CallForAccount): boolean =>
    to === account.address
      ? isKeyChange(methodOf(passkeyAccount, data))
      : contracts.includes(to) && isRelayed(methodOf(tenantLots, data), holder);
  if (!calls.every(mayBeSent)) throw notSponsorable('method');
}

const methodOf = (codec: typeof tenantLots, data: string): string | null => codec.decodeCall(data)?.name ?? null;
