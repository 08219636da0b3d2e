import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, keccakOf } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Tenants } from '../contract.js';
import { agrees, chainRoleNames } from '../wallets/chain-grant.js';
import { CompareGrants, type GrantComparison } from '../wallets/compare-grants.js';
import { type MemberFilter, type MemberRow, MembersQueries } from './members.queries.js';

export interface MemberRecord extends MemberRow {
  /** Null without a wallet or without a contract. */
  readonly onChain: { readonly roles: readonly string[]; readonly processes: readonly string[]; readonly agrees: boolean } | null;
}

/** Members, each with what the tenant's contract lets its wallet do. */
@Injectable()
export class ReadMembers {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tenants: Tenants,
    private readonly members: MembersQueries,
    private readonly grants: CompareGrants,
  ) {}

  async list(tenantId: string, filter: MemberFilter, page: PageRequest): Promise<Page<MemberRecord>> {
    const found = await this.members.list(tenantId, filter, page);
    return { ...found, data: await this.withChain(tenantId, found.data) };
  }

  /** Removed members too. @throws DomainError 404 `member_not_found` */
  async get(tenantId: string, userId: string): Promise<MemberRecord> {
    return (await this.withChain(tenantId, [await this.members.get(tenantId, userId)]))[0]!;
  }

  private async withChain(tenantId: string, rows: readonly MemberRow[]): Promise<MemberRecord[]> {
    const { contract } = await this.tenants.byId(tenantId);
    const holders = rows.flatMap(({ wallet, ...row }) => (wallet === null ? [] : [{ ...row, wallet }]));
    if (contract === null || holders.length === 0) return rows.map((row) => ({ ...row, onChain: null }));
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const { processes, comparisons } = await this.grants.compare(tx, contract, holders);
      const names = new Map<string, string>(processes.map(({ processType }) => [keccakOf(processType), processType]));
      const byMember = new Map(holders.map(({ id }, i) => [id, onChain(comparisons[i]!, names)]));
      return rows.map((row) => ({ ...row, onChain: byMember.get(row.id) ?? null }));
    });
  }
}

const onChain = ({ current, wanted }: GrantComparison, names: ReadonlyMap<string, string>): MemberRecord['onChain'] => ({
  roles: chainRoleNames(current.roles),
  processes: [...current.processIds].map((id) => names.get(id) ?? id).toSorted(),
  agrees: agrees(wanted, current),
});
