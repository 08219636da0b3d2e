import type { EventView } from '#client';
import { Table } from '../../parts/basics';
import { shortHash, showDay, words } from '../../state/format';
import { t } from '../../state/language';

export interface Document {
  readonly url?: string;
  readonly cid?: string;
  readonly sha256?: string;
  readonly type?: string;
  readonly number?: string;
  readonly issuer?: string;
  readonly validTo?: string;
}

interface ListedDocument extends Document {
  readonly key: string;
  /** Where it comes from. */
  readonly of: string;
}

export function Documents({
  caption,
  of,
  where,
}: {
  readonly caption: string;
  readonly of: readonly ListedDocument[];
  /** What `of` of a document names. */
  readonly where: string;
}) {
  return (
    <Table
      caption={caption}
      rows={of}
      keyOf={({ key }) => key}
      columns={[
        { name: t('Type'), show: ({ type }) => words(type) },
        { name: t('Number'), show: ({ number }) => number ?? '–' },
        { name: t('Issued by'), show: ({ issuer }) => issuer ?? '–' },
        { name: t('Valid until'), show: ({ validTo }) => dayOf(validTo) },
        { name: where, show: (document) => document.of },
        { name: t('File'), show: (document) => <File of={document} /> },
      ]}
    />
  );
}

/** A document says what it likes: what is no date is shown as it is. */
const dayOf = (text: string | undefined): string => (text && Number.isNaN(Date.parse(text)) ? text : showDay(text));

/** Only web addresses are links: the document says what it likes. */
function File({ of: { url, cid, sha256 } }: { readonly of: Document }) {
  const known = cid ?? sha256;
  if (url && /^https?:\/\//i.test(url))
    return (
      <a href={url} target="_blank" rel="noreferrer noopener">
        {t('Open the file')}
      </a>
    );
  return known ? <code title={known}>{shortHash(known)}</code> : <>–</>;
}

export function documentsOf(event: EventView): readonly ListedDocument[] {
  const documents: readonly Document[] = Array.isArray(event.documents) ? (event.documents as readonly Document[]) : [];
  return documents.map((document, index) => ({
    ...document,
    key: `${event.id}/${index}`,
    of: event.processLabel ?? words(event.processType),
  }));
}
