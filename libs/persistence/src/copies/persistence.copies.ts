import type { CopyRule } from './copy-rule.js';

export const persistenceCopies: readonly CopyRule[] = [
  { table: 'persistence.outbox', key: ['id'], columns: { body: 'text' }, scope: 'event' },
];
