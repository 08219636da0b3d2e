import { Injectable } from '@nestjs/common';
import type { SystemTx, TenantTx } from '#persistence';
import { Parties, type PartyLabel, nameless } from '../contract.js';
import { organisationNotFound, siteNotFound } from '../errors.js';
import { Wallet } from './wallet.js';

interface PartyRow extends Omit<PartyLabel, 'label'> {
  readonly address: string;
  readonly label: string | null;
}

interface WalletMove {
  readonly contract: string;
  readonly chainId: number;
  readonly from: string;
  readonly to: string;
  readonly blockNumber: number;
  readonly logIndex: number;
  readonly at: Date;
}

interface MoveRow {
  readonly tenant_id: string;
  readonly from_address: string;
  readonly to_address: string;
  readonly member_ids: string[];
  readonly bound: boolean;
  readonly block_number: string;
  readonly log_index: number;
}

@Injectable()
export class WalletsQueries extends Parties {
  override async labels(tx: TenantTx, addresses: readonly string[]): Promise<ReadonlyMap<string, PartyLabel>> {
    const distinct = [...new Set(addresses)];
    const rows = await tx.sql<PartyRow>(
      'select address, label, kind, org_id as "orgId", org_name as "orgName" from identity.party_v1 where tenant_id = $1 and address = any ($2)',
      [tx.tenantId, distinct],
    );
    const known = new Map(rows.map(({ address, label, ...party }) => [address, label === null ? nameless(address) : { ...party, label }]));
    return new Map(distinct.map((address) => [address, known.get(address) ?? nameless(address)]));
  }

  override async walletsOf(tx: TenantTx, orgId: string): Promise<readonly string[]> {
    const rows = await tx.sql<{ address: string | null }>(
      `select w.address from identity.organisation o
       left join identity.site s on s.tenant_id = o.tenant_id and s.org_id = o.id
       left join identity.wallet w on w.tenant_id = o.tenant_id and (w.org_id = o.id or w.site_id = s.id)
       where o.tenant_id = $1 and o.id::text = $2`,
      [tx.tenantId, orgId.toLowerCase()],
    );
    if (rows.length === 0) throw organisationNotFound();
    return [...new Set(rows.flatMap(({ address }) => (address === null ? [] : [address])))].toSorted();
  }

  /** @throws DomainError 404 `organisation_not_found` or `site_not_found` */
  async requirePlaces(tx: TenantTx, { orgId, siteId }: Pick<Wallet, 'orgId' | 'siteId'>): Promise<void> {
    const exists = async (table: 'organisation' | 'site', id: string): Promise<boolean> =>
      (await tx.sql(`select 1 from identity.${table} where tenant_id = $1 and id = $2`, [tx.tenantId, id])).length > 0;
    if (orgId && !(await exists('organisation', orgId))) throw organisationNotFound();
    if (siteId && !(await exists('site', siteId))) throw siteNotFound();
  }

  /** @param owner organisation, or user of a wallet without one; null for a partner's */
  async isOf(tx: TenantTx, address: string, owner: string | null): Promise<boolean> {
    const found = await tx.sql(
      'select 1 from identity.wallet where tenant_id = $1 and address = $2 and coalesce(org_id, user_id) is not distinct from $3::uuid',
      [tx.tenantId, address, owner],
    );
    return found.length > 0;
  }

  async isOrganisationAccount(tx: TenantTx, address: string): Promise<boolean> {
    const found = await tx.sql('select 1 from identity.passkey_account where tenant_id = $1 and address = $2 and org_id is not null', [
      tx.tenantId,
      address,
    ]);
    return found.length > 0;
  }

  /** The row of this address, inserted when there is none, and locked. */
  async insertOrLock(tx: TenantTx, wallet: Wallet): Promise<Wallet> {
    const wallets = tx.repository(Wallet);
    await wallets.createQueryBuilder().insert().values(wallet).orIgnore().execute();
    const { tenantId, address } = wallet;
    return wallets.findOneOrFail({ where: { tenantId, address }, lock: { mode: 'pessimistic_write' } });
  }

  save(tx: TenantTx, wallet: Wallet): Promise<Wallet> {
    return tx.repository(Wallet).save(wallet);
  }

  /** False when the organisation has no such wallet. */
  async delete(tx: TenantTx, orgId: string, address: string): Promise<boolean> {
    const gone = await tx.sql('delete from identity.wallet where tenant_id = $1 and org_id = $2 and address = $3 returning address', [
      tx.tenantId,
      orgId,
      address,
    ]);
    return gone.length > 0;
  }

  /** Its user keeps the wallet but leaves the organisation. */
  async leaveOrganisation(tx: SystemTx, tenantId: string, userId: string, address: string): Promise<void> {
    await tx.sql('update identity.wallet set org_id = null, site_id = null where tenant_id = $1 and address = $2 and user_id = $3', [
      tenantId,
      address,
      userId,
    ]);
  }

  /**
   * The new address is proposed to the members that have the old one: a log binds no login. In the address book it takes the old one's place,
   * without its person, unless somebody has it already. The old one keeps its entry, for history.
   */
  async move(tx: TenantTx, { contract, chainId, from, to, blockNumber, logIndex, at }: WalletMove): Promise<void> {
    const members = await tx.sql<{ user_id: string }>(
      `update identity.member set proposed_wallet = $3
       where tenant_id = $1 and (wallet = $2 or proposed_wallet = $2) and revoked_at is null returning user_id`,
      [tx.tenantId, from, to],
    );
    const bound = await tx.sql(
      `insert into identity.wallet (tenant_id, address, org_id, site_id, label, created_at)
       select tenant_id, $3, org_id, site_id, label, $4 from identity.wallet where tenant_id = $1 and address = $2
       on conflict do nothing returning address`,
      [tx.tenantId, from, to, at],
    );
    await tx.sql(
      `insert into identity.wallet_move
         (tenant_id, contract, from_address, to_address, block_number, log_index, chain_id, member_ids, bound)
       values ($1, $2, $3, $4, $5, $6, $7, $8::uuid[], $9)`,
      [tx.tenantId, contract, from, to, blockNumber, logIndex, chainId, members.map((row) => row.user_id), bound.length > 0],
    );
  }

  /** Undoes the moves of later blocks, newest first. @returns the tenants that they were of */
  async undoMoves(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<readonly string[]> {
    const moves = await tx.sql<MoveRow>(
      `delete from identity.wallet_move where chain_id = $1 and block_number > $2
       returning tenant_id, from_address, to_address, member_ids, bound, block_number, log_index`,
      [chainId, lastGoodBlock],
    );
    for (const move of moves.toSorted(newestFirst)) {
      // A member who had the first address by a proposal has that proposal again. What was confirmed meanwhile stays.
      await tx.sql(
        `update identity.member set proposed_wallet = case when wallet = $3 then null else $3 end
         where tenant_id = $1 and user_id = any($2::uuid[]) and proposed_wallet = $4`,
        [move.tenant_id, move.member_ids, move.from_address, move.to_address],
      );
      if (move.bound)
        await tx.sql('delete from identity.wallet where tenant_id = $1 and address = $2 and user_id is null', [
          move.tenant_id,
          move.to_address,
        ]);
    }
    return moves.map((move) => move.tenant_id);
  }
}

const newestFirst = (one: MoveRow, other: MoveRow): number =>
  Number(other.block_number) - Number(one.block_number) || other.log_index - one.log_index;
