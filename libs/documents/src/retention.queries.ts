import { type CopyRule, type RetentionRule, deleteOldest } from '#persistence';

export const documentsRetention: readonly RetentionRule[] = [
  {
    table: 'documents.document',
    settings: ['DOCUMENTS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'documents.document', where: 'uploaded_at < $1', oldestBy: 'uploaded_at' }),
  },
  {
    // Its parts go with it, and their blocks with what no record refers to. A file is stored in the transaction of its first document.
    table: 'documents.file',
    settings: ['DOCUMENTS_KEPT_DAYS'],
    sql: deleteOldest({
      table: 'documents.file',
      where: `shared and stored_at < $1 and not exists (
        select from documents.document d where d.tenant_id = file.tenant_id and d.file_id = file.id)`,
    }),
  },
  {
    // A file of an import is younger than it.
    table: 'documents.file',
    settings: ['IMPORTS_KEPT_DAYS'],
    sql: deleteOldest({
      table: 'documents.file',
      where: `not shared and stored_at < $1`,
    }),
  },
];

/** Parts of files: they are deleted with their file, which no other record keeps. */
export const documentsContents: readonly string[] = [
  'select p.cid, false as lasting from documents.part p where p.cid = any($1::text[]) and $2::text[] is not null',
];

const FILES = `(select p.file_id from documents.part p where p.tenant_id = $1 and p.place = 0 and p.cid = any($2::text[]))`;

export const documentsCopies: readonly CopyRule[] = [
  { table: 'documents.document', key: ['id'], columns: { name: 'text', number: 'text' }, scope: 'all' },
  // Of a file whose key was destroyed, which a restored dump has again.
  { table: 'documents.document', whole: `delete from documents.document where tenant_id = $1 and file_id in ${FILES}` },
  { table: 'documents.file', whole: `delete from documents.file where tenant_id = $1 and id in ${FILES}` },
];
