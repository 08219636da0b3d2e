import { refusal } from '#kernel';
import type { UnitOfWork } from '#persistence';

/** What an operator asks of the single writer of a chain. */
export type IndexerCommand =
  /** Continue after a stop. `backTo` discards what came after that block and follows the node from there. */
  | { readonly kind: 'resume'; readonly backTo: number | null }
  /** Undo everything and index the chain again from the registry's first block. */
  | { readonly kind: 'reindex' };

/** State of the cursor, for a program that waits for a command to finish. */
export interface CursorState {
  readonly head: number;
  readonly final: number;
  /** Why it stopped and waits for an operator. */
  readonly stopped: string | null;
  /** What keeps it from following the chain; it continues by itself when that has ended. */
  readonly fault: string | null;
  /** The command that is not executed yet. */
  readonly command: IndexerCommand['kind'] | null;
}

export const notIndexed = refusal(
  'chain_not_indexed',
  409,
  (chainId: number) => `Nothing of chain ${chainId} is indexed yet. The first worker starts by itself at the registry's first block.`,
);
export const notStopped = refusal(
  'chain_not_stopped',
  409,
  (chainId: number) =>
    `The indexer of chain ${chainId} is not stopped. It continues by itself; going back is only for a chain that stopped and that an operator has examined.`,
);
export const aheadOfIndex = refusal(
  'ahead_of_index',
  422,
  (backTo: number, head: number) => `Block ${backTo} is not before the last indexed block, which is block ${head}.`,
);

/** Stores commands where the writer finds them. No writer has to run at that time: it executes the command when it starts. */
export class IndexerCommands {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainId: number,
  ) {}

  /** @throws DomainError 409 `chain_not_indexed`, `chain_not_stopped`, 422 `ahead_of_index` */
  send(command: IndexerCommand): Promise<void> {
    return this.unitOfWork.asSystem(async (tx) => {
      const [cursor] = await tx.sql<{ head_number: string; stopped: string | null }>(
        'select head_number, stopped from chain.cursor where chain_id = $1 for update',
        [this.chainId],
      );
      if (!cursor) throw notIndexed(this.chainId);
      if (command.kind === 'resume' && cursor.stopped === null) throw notStopped(this.chainId);
      const backTo = command.kind === 'resume' ? command.backTo : null;
      if (backTo !== null && backTo >= Number(cursor.head_number)) throw aheadOfIndex(backTo, Number(cursor.head_number));
      await tx.sql('update chain.cursor set command = $2, command_to_block = $3 where chain_id = $1', [this.chainId, command.kind, backTo]);
    });
  }

  /** @throws DomainError 409 `chain_not_indexed` */
  async state(): Promise<CursorState> {
    const [row] = await this.unitOfWork.readAsSystem((tx) =>
      tx.sql<{ head: string; final: string } & Pick<CursorState, 'stopped' | 'fault' | 'command'>>(
        'select head_number as head, final_number as final, stopped, fault, command from chain.cursor where chain_id = $1',
        [this.chainId],
      ),
    );
    if (!row) throw notIndexed(this.chainId);
    return { ...row, head: Number(row.head), final: Number(row.final) };
  }
}
