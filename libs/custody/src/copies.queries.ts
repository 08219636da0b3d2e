import type { CopyRule } from '#persistence';

export const custodyCopies: readonly CopyRule[] = [
  { table: 'custody.hand_over', key: ['data_hash'], columns: { location: 'json' }, scope: 'none', note: 'data_hash' },
  {
    table: 'custody.transfer',
    key: ['id'],
    columns: { offered_handed_location: 'json', closed_handed_location: 'json' },
    scope: 'none',
  },
];
