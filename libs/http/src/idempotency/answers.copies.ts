import type { CopyRule } from '#persistence';

export const httpCopies: readonly CopyRule[] = [
  { table: 'http.answer', key: ['principal_id', 'route', 'key'], columns: { body: 'text' }, scope: 'all' },
];
