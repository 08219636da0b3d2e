import { randomBytes } from 'node:crypto';
import { ChainHead } from '#chain';
import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { tenantByTenant } from '#queue';
import { PassportSettings, Passports } from '../ports.js';

/** Events looked at in one transaction. */
const BATCH = 500;
/** 128 bits: nobody walks from one to the next (domain-decisions §7). */
export const newPassportId = (): string => randomBytes(16).toString('hex');

/** Gives each lot its passport when its making is final: no earlier, or another lot could have its number. */
@Injectable()
export class IssuePassports {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: Passports,
    private readonly settings: PassportSettings,
    private readonly head: ChainHead,
    private readonly clock: Clock,
  ) {}

  /** One round over all tenants that show passports. Any number of processes may do it at once. */
  async issue(leaving: AbortSignal): Promise<void> {
    const { showing, final } = await this.work.asSystem(async (tx) => ({
      showing: await this.settings.showing(tx),
      final: (await this.head.position(tx)).final,
    }));
    await tenantByTenant(showing, leaving, async ({ tenantId, issuedTo }) => {
      for (let after = issuedTo; after < final && !leaving.aborted; )
        after = await this.work.inTransaction({ tenantId }, (tx) => this.batch(tx, after, final));
    });
  }

  /** @returns the block that it reached */
  private async batch(tx: TenantTx, after: number, final: number): Promise<number> {
    const { lots, reached } = await this.passports.candidates(tx, after, final, BATCH);
    const fresh = lots.map((lot) => ({ ...lot, id: newPassportId() }));
    if (fresh.length > 0) await this.passports.add(tx, fresh, this.clock.now());
    await this.settings.issuedTo(tx, reached);
    return reached;
  }
}
