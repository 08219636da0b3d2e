import { randomBytes } from 'node:crypto';
import { ChainHead } from '#chain';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { notForPassports, passportNotFound, passportsOff } from '../errors.js';
import { SettingsQueries } from '../settings/settings.queries.js';
import { PassportsQueries } from './passports.queries.js';

/** Events read in one transaction. */
const BATCH = 500;
/** 128 bits: knowing one id leads to no other (docs/spec/domain.md#passports). */
const newPassportId = (): string => randomBytes(16).toString('hex');

/** Gives each lot its passport when the event that made it is final: before that, another lot could get its number. */
@Injectable()
export class IssuePassports {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly settings: SettingsQueries,
    private readonly head: ChainHead,
    private readonly clock: Clock,
  ) {}

  /** One batch; nothing while another process issues for this tenant. @returns whether more is left */
  issueNext(tenantId: string): Promise<boolean> {
    return this.work.inTransaction({ tenantId }, async (tx) => {
      const after = await this.settings.lockIssued(tx, 'skip');
      return after !== null && (await this.issueBatch(tx, after));
    });
  }

  /** Batch after batch, until nothing is left. Continues after a crash where the last whole batch ended. */
  async issueAll(tenantId: string, leaving: AbortSignal): Promise<void> {
    const issueBatch = (): Promise<boolean> =>
      this.work.inTransaction({ tenantId }, async (tx) => {
        const after = await this.settings.lockIssued(tx, 'wait');
        return after !== null && (await this.issueBatch(tx, after));
      });
    while (!leaving.aborted && (await issueBatch()));
  }

  /** The passport of one lot, now. @returns its id @throws DomainError 404 `passport_not_found`, 409 `passports_off`, `not_for_passports` */
  issue(actor: Actor, tokenId: bigint): Promise<string> {
    return this.work.inTransaction(actor, async (tx) => {
      const lot = await this.passports.lot(tx, tokenId);
      if (!lot) throw passportNotFound();
      if (!(await this.settings.read(tx)).enabled) throw passportsOff();
      const isFinal = lot.mintBlock !== null && lot.mintBlock <= (await this.head.position(tx)).final;
      if (!lot.mayHavePassport || !isFinal) throw notForPassports();
      await this.passports.add(tx, [{ ...lot, id: newPassportId() }], this.clock.now());
      const issued = (await this.passports.ofLot(tx, tokenId)) ?? (await this.passports.ofModel(tx, lot.gtin));
      if (!issued) throw notForPassports();
      return issued.id;
    });
  }

  /** @returns whether more is left */
  private async issueBatch(tx: TenantTx, after: number): Promise<boolean> {
    const { final } = await this.head.position(tx);
    if (after >= final) return false;
    const { lots, reached } = await this.passports.lotsMadeAfter(tx, after, final, BATCH);
    const passports = lots.map((lot) => ({ ...lot, id: newPassportId() }));
    if (passports.length > 0) await this.passports.add(tx, passports, this.clock.now());
    await this.settings.advance(tx, reached);
    return reached < final;
  }
}
