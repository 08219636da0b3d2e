import { ChainHead } from '#chain';
import type { Actor } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { CustodyOrder } from '../domain/custody-order.js';
import { type LotInHand, type Permitted, permit } from '../domain/custody-rules.js';

/** Looks the lots up and holds the order against them. */
@Injectable()
export class CheckCustody {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lots: Lots,
    private readonly chainHead: ChainHead,
  ) {}

  /** @throws DomainError as `permit` does */
  check(actor: Actor, order: CustodyOrder, sender: string | null): Promise<Permitted> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const known = await this.inHand(tx, order.tokenIds);
      const { final } = await this.chainHead.position(tx);
      return permit(order, known, sender === null ? null : actor.wallets, final);
    });
  }

  private async inHand(tx: TenantTx, tokenIds: readonly bigint[]): Promise<LotInHand[]> {
    const known = await this.lots.byTokenIds(tx, tokenIds);
    const containers = known.filter(({ isContainer }) => isContainer).map(({ tokenId }) => tokenId);
    const held = await this.lots.heldWithin(tx, containers);
    return known.map((lot) => ({ ...lot, heldInside: held.get(lot.tokenId) ?? null }));
  }
}
