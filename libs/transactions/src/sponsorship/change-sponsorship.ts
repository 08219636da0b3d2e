import { Injectable } from '@nestjs/common';
import { AuditLog, type AuditActor, TenantsQueries } from '#identity';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { aboveCeiling } from '../errors.js';
import { allowance, type Sponsorship } from './sponsorship.js';
import { type SponsorState, type SponsorshipChange, SponsorshipQueries } from './sponsorship.queries.js';

export interface SponsorshipNow {
  readonly sponsorship: Sponsorship;
  readonly sponsor: SponsorState | null;
  /** Wei. */
  readonly today: bigint;
}

/** What the sponsor pays for a tenant. */
@Injectable()
export class ChangeSponsorship {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sponsorships: SponsorshipQueries,
    private readonly tenants: TenantsQueries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  read(of: { readonly tenantId: string }): Promise<SponsorshipNow> {
    return this.unitOfWork.read(of, (tx) => this.now(tx));
  }

  /** By the tenant, who can only lower what the platform allows. @throws DomainError 422 `above_ceiling` */
  change(actor: Actor, change: Omit<SponsorshipChange, 'ceiling'>): Promise<SponsorshipNow> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const { ceiling } = await this.sponsorships.of(tx);
      if (change.limit && change.limit > ceiling) throw aboveCeiling('weiPerDay', String(ceiling));
      const most = this.sponsorships.mostRelaysPerHour;
      if (change.relaysPerHour && change.relaysPerHour > most) throw aboveCeiling('relaysPerHour', String(most));
      return this.changeIn(tx, actor, change);
    });
  }

  /** By the platform administrator. @param tenant slug or UUID @param ceiling null: the operator's setting @throws DomainError 404 `tenant_not_found` */
  async setCeiling(userId: string, tenant: string, ceiling: bigint | null): Promise<SponsorshipNow> {
    const { id: tenantId } = (await this.tenants.get(tenant)).tenant;
    return this.unitOfWork.inTransaction({ tenantId }, (tx) => this.changeIn(tx, { kind: 'platform', id: userId }, { ceiling }));
  }

  private async changeIn(tx: TenantTx, by: Actor | AuditActor, change: SponsorshipChange): Promise<SponsorshipNow> {
    const before = await this.sponsorships.of(tx);
    await this.sponsorships.change(tx, change);
    const details = { before: inWords(before), after: inWords(await this.sponsorships.of(tx)) };
    await this.audit.record(tx, tx.tenantId, by, { action: 'sponsorship.changed', subject: tx.tenantId, details });
    return this.now(tx);
  }

  private async now(tx: TenantTx): Promise<SponsorshipNow> {
    const [sponsorship, { today }, sponsor] = await Promise.all([
      this.sponsorships.of(tx),
      this.sponsorships.use(tx, this.clock.now()),
      this.sponsorships.sponsor(tx),
    ]);
    return { sponsorship, today, sponsor };
  }
}

const inWords = (of: Sponsorship) => ({
  ceilingWeiPerDay: String(of.ceiling),
  limitWeiPerDay: of.limit === null ? null : String(of.limit),
  weiPerDay: String(allowance(of)),
  relaysPerHour: of.relaysPerHour,
});
