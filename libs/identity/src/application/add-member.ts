import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { memberNotFound, organisationNotFound, tenantNotFound, userNotFound } from '../domain/errors.js';
import { type Grants, Member } from '../domain/member.js';
import { Organisation } from '../domain/organisation.js';
import { subjectOf } from '../domain/revocation.js';
import { Tenant } from '../domain/tenant.js';
import { User } from '../domain/user.js';
import { Revocations } from '../ports.js';
import { BindWallet } from './bind-wallet.js';

/** Gives a user a place in a tenant, or other grants than before; both count at once for tokens that are out. */
@Injectable()
export class AddMember {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly bindWallet: BindWallet,
    private readonly revocations: Revocations,
    private readonly clock: Clock,
  ) {}

  /** The wallet is bound to the user and, where there is one, its organisation. @throws DomainError 422, 404, 409 `wallet_taken` */
  async add(tenantId: string, userId: string, grants: Grants): Promise<Member> {
    const member = Member.grant(tenantId, userId, grants, this.clock.now());
    return this.change(member, (tx) => this.addIn(tx, member));
  }

  /** Inside a transaction that records the revocation itself. @throws DomainError as `add` */
  async addIn(tx: SystemTx, member: Member): Promise<Member> {
    const { tenantId, userId } = member;
    if (!(await tx.repository(Tenant).existsBy({ id: tenantId }))) throw tenantNotFound();
    const user = await tx.repository(User).findOneBy({ id: userId });
    if (!user) throw userNotFound();
    if (member.orgId && !(await tx.repository(Organisation).existsBy({ tenantId, id: member.orgId }))) throw organisationNotFound();
    if (member.wallet)
      await this.bindWallet.bindIn(tx, tenantId, { address: member.wallet, userId, orgId: member.orgId, label: user.name || null });
    return tx.repository(Member).save(member);
  }

  /** Ends a membership. @throws DomainError 404 `member_not_found` */
  async revoke(tenantId: string, userId: string): Promise<void> {
    await this.change({ tenantId, userId }, async (tx) => {
      const { affected } = await tx.repository(Member).update({ tenantId, userId }, { revokedAt: this.clock.now() });
      if (!affected) throw memberNotFound();
    });
  }

  private async change<T>({ tenantId, userId }: Pick<Member, 'tenantId' | 'userId'>, work: (tx: SystemTx) => Promise<T>): Promise<T> {
    const subjects = [subjectOf.member(tenantId, userId)];
    const result = await this.unitOfWork.asSystem(async (tx) => {
      await this.revocations.record(tx, subjects);
      return work(tx);
    });
    this.revocations.forget(subjects);
    return result;
  }
}
