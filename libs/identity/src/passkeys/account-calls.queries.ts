import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type AccountCalls, KeepAccountCalls } from '#prepare';
import { IdentitySettings } from '../identity.settings.js';
import { RelayAccountsQueries } from './relay-accounts.queries.js';

const MOST_REMEMBERED = 10_000;

const KEEP = `
  insert into identity.account_call (tenant_id, id, account, to_address, data, gas, created_at)
  select a.tenant_id, c.id, c.account, c.to_address, c.data, c.gas, $7
  from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[]) as c(id, account, to_address, data, gas)
  join identity.passkey_account a on a.chain_id = $1 and a.address = c.account
  returning id`;

/** Keeps what is prepared for accounts of passkeys, so that a relay can be made of nothing else. */
@Injectable()
export class AccountCallsQueries extends KeepAccountCalls {
  /** An address is an account from the moment that it is anybody's wallet, or never. */
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: RelayAccountsQueries,
    private readonly settings: IdentitySettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async keep(calls: AccountCalls): Promise<readonly (string | null)[]> {
    const senders = [...new Set(calls.flatMap((call) => (call ? [call.sender] : [])))];
    await this.learn(senders.filter((sender) => !this.known.has(sender)));
    const ids = calls.map((call) => (call && this.known.get(call.sender) ? newId() : null));
    const kept = calls.flatMap((call, i) => (call && ids[i] ? [{ ...call, id: ids[i] }] : []));
    if (kept.length === 0) return ids;
    const stored = await this.unitOfWork.asSystem((tx) =>
      tx.sql<{ id: string }>(KEEP, [
        this.settings.chainId,
        kept.map(({ id }) => id),
        kept.map(({ sender }) => sender),
        kept.map(({ to }) => to),
        kept.map(({ data }) => data),
        kept.map(({ gas }) => gas),
        this.clock.now(),
      ]),
    );
    const there = new Set(stored.map(({ id }) => id));
    return ids.map((id) => (id !== null && there.has(id) ? id : null));
  }

  private async learn(senders: readonly string[]): Promise<void> {
    if (senders.length === 0) return;
    const accounts = await this.accounts.among(senders);
    if (this.known.size + senders.length > MOST_REMEMBERED) this.known.clear();
    for (const sender of senders) this.known.set(sender, accounts.has(sender));
  }
}
