import type { CopyRule } from '#persistence';

/** A version keeps the hash that it was archived with; what an erasure took of its text shows as null (docs/spec/domain.md#passport-documents). */
export const passportsCopies: readonly CopyRule[] = [
  { table: 'passports.version', key: ['passport_id', 'version'], columns: { document: 'json' }, scope: 'all' },
  { table: 'passports.passport', key: ['id'], columns: { withdrawn_reason: 'text' }, scope: 'none' },
  { table: 'passports.link', key: ['id'], columns: { title: 'text', href: 'text' }, scope: 'none', stays: true },
  { table: 'passports.access_grant', key: ['id'], columns: { grantee: 'text', purpose: 'text' }, scope: 'none' },
];
