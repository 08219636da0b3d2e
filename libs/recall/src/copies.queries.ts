import type { CopyRule } from '#persistence';

export const recallCopies: readonly CopyRule[] = [
  // Food law asks who recalled what and why.
  {
    table: 'recall.recall',
    key: ['id'],
    columns: { reason: 'text', reference: 'text', instructions: 'text' },
    scope: 'none',
    stays: true,
  },
  {
    table: 'recall.recalled_lot',
    key: ['token_id', 'recall_id'],
    columns: { lifted_reason: 'text' },
    scope: 'none',
    stays: true,
  },
  { table: 'recall.hold', key: ['token_id', 'source'], columns: { reason: 'text' }, scope: 'none' },
];
