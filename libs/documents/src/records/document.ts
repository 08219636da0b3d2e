/** Who may read a document within its tenant; `authority` and `restricted` as of the values of events. */
export const DOCUMENT_VISIBILITIES = ['public', 'restricted', 'authority'] as const;
export type DocumentVisibility = (typeof DOCUMENT_VISIBILITIES)[number];

export interface DocumentRecord {
  readonly id: string;
  readonly fileId: string;
  readonly orgId: string | null;
  readonly visibility: DocumentVisibility;
  readonly name: string;
  readonly mediaType: string;
  readonly type: string | null;
  readonly number: string | null;
  readonly scanned: boolean;
  readonly uploadedBy: string;
  readonly uploadedAt: Date;
  readonly sha256: string;
  readonly size: number;
}

/** What a line of `documents[]` of an event says of this document; the event's schema wants its type and its number. */
export const referenceTo = ({ type, number, sha256, mediaType, visibility }: DocumentRecord): Readonly<Record<string, string>> => ({
  ...(type !== null && { type }),
  ...(number !== null && { number }),
  sha256,
  mediaType,
  visibility,
});
