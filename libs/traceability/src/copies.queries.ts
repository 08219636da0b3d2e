import type { CopyRule } from '#persistence';

export const traceabilityCopies: readonly CopyRule[] = [
  { table: 'traceability.lot_hold', key: ['token_id'], columns: { reason: 'text' }, scope: 'none' },
];
