import { refusal } from '#kernel';
import type { UnitOfWork } from '#persistence';

/** What an operator asks of the one writer of a chain. */
export type Order =
  /** Goes on after a stop; `backTo` gives up what came after that block and follows the node from there. */
  | { readonly kind: 'resume'; readonly backTo: number | null }
  /** Takes everything back and projects the chain anew from the registry's first block. */
  | { readonly kind: 'reindex' };

/** How the projection stands, for whoever watches an order. */
export interface CursorView {
  readonly head: number;
  readonly final: number;
  readonly stopped: string | null;
  readonly ordered: Order['kind'] | null;
}

export const notProjected = refusal(
  'chain_not_projected',
  409,
  (chainId: number) => `Nothing of chain ${chainId} is projected yet: the first worker begins by itself, at the registry's first block.`,
);
export const notStopped = refusal(
  'chain_not_stopped',
  409,
  (chainId: number) =>
    `The projection of chain ${chainId} is not stopped: it goes on by itself, and backing up is for a chain that an operator looked at.`,
);
export const aheadOfProjection = refusal(
  'ahead_of_projection',
  422,
  (backTo: number, head: number) => `Block ${backTo} is not behind the projection, which stands at ${head}.`,
);

/** Leaves orders where the writer finds them. Works whether one runs or not: it obeys as soon as it does. */
export class ChainOrders {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainId: number,
  ) {}

  /** @throws DomainError 409 `chain_not_projected`, `chain_not_stopped`, 422 `ahead_of_projection` */
  give(order: Order): Promise<void> {
    return this.unitOfWork.asSystem(async (tx) => {
      const [cursor] = await tx.sql<{ head_number: string; stopped: string | null }>(
        'select head_number, stopped from chain.cursor where chain_id = $1 for update',
        [this.chainId],
      );
      if (!cursor) throw notProjected(this.chainId);
      if (order.kind === 'resume' && cursor.stopped === null) throw notStopped(this.chainId);
      const backTo = order.kind === 'resume' ? order.backTo : null;
      if (backTo !== null && backTo >= Number(cursor.head_number)) throw aheadOfProjection(backTo, Number(cursor.head_number));
      await tx.sql('update chain.cursor set ordered = $2, ordered_back_to = $3 where chain_id = $1', [this.chainId, order.kind, backTo]);
    });
  }

  /** @throws DomainError 409 `chain_not_projected` */
  async look(): Promise<CursorView> {
    const [row] = await this.unitOfWork.asSystem((tx) =>
      tx.sql<{ head: string; final: string; stopped: string | null; ordered: Order['kind'] | null }>(
        'select head_number as head, final_number as final, stopped, ordered from chain.cursor where chain_id = $1',
        [this.chainId],
      ),
    );
    if (!row) throw notProjected(this.chainId);
    return { ...row, head: Number(row.head), final: Number(row.final) };
  }
}
