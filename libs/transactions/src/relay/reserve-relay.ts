import { Injectable } from '@nestjs/common';
import { ContractDirectory, passkeyAccount, tenantLots } from '#chain';
import { type CallForAccount, type PasskeyAccount, PasskeyAccounts } from '#identity';
import { type Actor, isUuid } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
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
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const sponsor = await this.sponsorship.sponsor(tx);
      return { calls: await this.callsOf(tx, account, ids), sponsor };
    });
  }

  /** @throws DomainError 422 `not_sponsorable`, 429 `sponsorship_exhausted` */
  async take(batch: SignedBatch, reservation: Reservation): Promise<Relayed> {
    const { actor } = batch;
    this.sponsorship.requireRunning(batch.sponsor);
    await this.contractsOf(batch);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const at = await this.sponsorship.require(tx, actor.id, reservation.batchWei + reservation.deployWei);
      // Somebody may have relayed one of them meanwhile.
      const ids = batch.calls.map(({ id }) => id);
      await this.callsOf(tx, batch.account, ids);
      await this.accounts.useCalls(tx, ids);
      return this.store.store(tx, batch, { ...reservation, at });
    });
  }

  private async callsOf(tx: TenantTx, { address }: PasskeyAccount, ids: readonly string[]): Promise<readonly CallForAccount[]> {
    const found = new Map((await this.accounts.unusedCalls(tx, address, ids)).map((call) => [call.id, call]));
    return ids.map((id) => {
      const call = found.get(id);
      if (!call) throw notSponsorable('unknown_call');
      return call;
    });
  }

  /** Every call is a known one, of a contract of this tenant or of the account itself. */
  private async contractsOf({ actor, account, calls }: SignedBatch): Promise<void> {
    const contracts = [...new Set(calls.map(({ to }) => to))].filter((to) => to !== account.address);
    const owners = await this.unitOfWork.readAsSystem((tx) =>
      Promise.all(contracts.map((to) => this.contracts.ownerOf(tx, this.store.chainId, to))),
    );
    const holder = account.userId === null ? 'organisation' : 'member';
    const mayBeSent = ({ to, data }: CallForAccount): boolean =>
      to === account.address ? isKeyChange(methodOf(passkeyAccount, data)) : isRelayed(methodOf(tenantLots, data), holder);
    if (owners.some((owner) => owner !== actor.tenantId) || !calls.every(mayBeSent)) throw notSponsorable('method');
  }
}

const methodOf = (codec: typeof tenantLots, data: string): string | null => codec.decodeCall(data)?.name ?? null;
