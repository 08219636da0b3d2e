import {
  BooleanField,
  EnumField,
  FileField,
  IntegerField,
  JsonObjectField,
  ObjectListField,
  PageQuery,
  PageView,
  StringField,
  type UploadedFile,
} from '#http';
import { DOCUMENT_VISIBILITIES, type DocumentRecord, type DocumentVisibility, referenceTo } from './document.js';

export const MAX_DOCUMENT_BYTES = 25 * 1024 * 1024;

export class DocumentBody {
  @FileField({ description: 'The file, of at most 25 MiB', maxBytes: MAX_DOCUMENT_BYTES })
  file: UploadedFile;

  @EnumField(DOCUMENT_VISIBILITIES, {
    description: 'public: every member of the tenant reads it; otherwise its organisation, AUDITOR, COMPLIANCE and TENANT_ADMIN',
    optional: true,
    default: 'restricted',
  })
  visibility: DocumentVisibility = 'restricted';

  @StringField({ description: 'Type of the document, such as BILL_OF_LADING', optional: true, minLength: 1, maxLength: 60 })
  type?: string;

  @StringField({ description: 'Its number', optional: true, minLength: 1, maxLength: 120 })
  number?: string;
}

const SHA256 = /^[0-9a-f]{64}$/;

export class StoredDocumentsQuery extends PageQuery {
  @StringField({ description: 'SHA-256 of the file, as an event refers to it', optional: true, pattern: SHA256 })
  sha256?: string;

  @StringField({ description: 'Type', optional: true, maxLength: 60 })
  type?: string;

  @StringField({ description: 'Number', optional: true, maxLength: 120 })
  number?: string;
}

export class StoredDocumentView {
  @StringField({ description: 'The document', format: 'uuid' })
  id: string;

  @StringField({ description: 'Name of the file, as it was uploaded' })
  name: string;

  @StringField({ description: 'By its content' })
  mediaType: string;

  @IntegerField({ description: 'Bytes' })
  size: number;

  @StringField({ description: 'SHA-256 of the bytes, hexadecimal', pattern: SHA256 })
  sha256: string;

  @EnumField(DOCUMENT_VISIBILITIES, { description: 'Who may read it' })
  visibility: string;

  @StringField({ description: 'Type', nullable: true })
  type: string | null;

  @StringField({ description: 'Number', nullable: true })
  number: string | null;

  @StringField({ description: 'Organisation that uploaded it', format: 'uuid', nullable: true })
  orgId: string | null;

  @StringField({ description: 'User or API key' })
  uploadedBy: string;

  @StringField({ description: 'When', format: 'date-time' })
  uploadedAt: string;

  @BooleanField({ description: 'Whether a virus scanner has examined it' })
  scanned: boolean;

  @JsonObjectField({
    description: 'The line for `documents[]` of an event: `{ type, number, sha256, mediaType, visibility }`, as far as known',
  })
  reference: object;
}

export class StoredDocumentPageView extends PageView {
  @ObjectListField(() => StoredDocumentView, { description: 'Newest first' })
  data: readonly StoredDocumentView[];
}

export const documentView = (document: DocumentRecord): StoredDocumentView => {
  const { fileId: _, uploadedAt, ...shown } = document;
  return { ...shown, uploadedAt: uploadedAt.toISOString(), reference: referenceTo(document) };
};
