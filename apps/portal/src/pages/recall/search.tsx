import { useRef } from 'preact/hooks';
import type { SearchView } from '#client';
import { Empty, Field, Link, LotLink, Section, Show, Status, Table } from '../../parts/basics';
import { ScanButton } from '../../scan/scan-button';
import { showQuantity } from '../../state/format';
import { useLoad } from '../../state/load';
import { go, search } from '../../state/router';
import { api, isAdmin } from '../../state/session';
import { phrase, plural, t, translated } from '../../state/language';

const READ_AS: Readonly<Record<string, string>> = {
  digital_link: phrase('read as a GS1 Digital Link'),
  element_string: phrase('read as a bar code'),
  sscc: phrase('read as an SSCC'),
  gtin: phrase('read as a GTIN'),
  text: '',
};

/** The lot that somebody asks about, by whatever they have of it. What is sought is in the address: a link shows the same. */
export function FindLot() {
  const q = new URLSearchParams(search.value).get('q') ?? '';
  const field = useRef<HTMLInputElement>(null);
  const seek = (what: string): void => go(what === '' ? '/recalls' : `/recalls?q=${encodeURIComponent(what)}`, { replace: true });
  return (
    <Section title={t('Find the goods')}>
      <form
        role="search"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          seek(field.current!.value.trim());
        }}
      >
        <Field
          label={t('Code, link, product, company or document')}
          hint={t(
            'For example a code in any spelling, the link in a QR code, (01)…(10)…, an SSCC, a GTIN or the number of a bill of lading',
          )}
        >
          <input ref={field} type="search" key={q} defaultValue={q} spellcheck={false} autocomplete="off" maxLength={400} />
        </Field>
        <div class="actions">
          <button type="submit" class="main">
            {t('Search')}
          </button>
          <ScanButton label={t('Scan a lot')} onCode={(text) => seek(text.trim())} />
        </div>
      </form>
      {q !== '' && <Results key={q} q={q} />}
    </Section>
  );
}

function Results({ q }: { readonly q: string }) {
  const at = `/api/v1/search?q=${encodeURIComponent(q)}`;
  const found = useLoad(at, () => api().get<SearchView>(at));
  return (
    <Show what={found}>
      {(results) => {
        const { lots, products, companies, documents, readAs } = results;
        const count = lots.length + products.length + companies.length + documents.length;
        return (
          <>
            <p role="status" class="hint">
              {[foundIn(results), translated(READ_AS[readAs] ?? '')].filter((words) => words !== '').join(', ')}
            </p>
            {count === 0 && <Empty>{t('Check the code letter by letter, or search by product, company or document.')}</Empty>}
            <Lots of={lots} />
            <Others of={results} />
          </>
        );
      }}
    </Show>
  );
}

/** How many of each kind. */
function foundIn({ lots, products, companies, documents }: SearchView): string {
  const kinds = [
    lots.length > 0 && plural(lots.length, '{count} lot found', '{count} lots found'),
    products.length > 0 && plural(products.length, '{count} product', '{count} products'),
    companies.length > 0 && plural(companies.length, '{count} company', '{count} companies'),
    documents.length > 0 && plural(documents.length, '{count} document', '{count} documents'),
  ].filter((kind) => kind !== false);
  return kinds.join(', ') || t('Nothing found');
}

const nameOf = ({ recalled, recallAffected, status }: SearchView['lots'][number]): string =>
  recalled ? 'recalled' : recallAffected ? 'affected' : status;

function Lots({ of }: { readonly of: SearchView['lots'] }) {
  if (of.length === 0) return null;
  return (
    <Table
      caption={t('Lots found')}
      rows={of}
      keyOf={({ tokenId }) => tokenId}
      columns={[
        { name: t('Lot'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
        { name: t('Product'), show: ({ assetTypeName, assetType }) => assetTypeName ?? assetType ?? '–' },
        { name: t('Left'), number: true, show: ({ remainingQuantity, uom }) => showQuantity(remainingQuantity, uom) },
        { name: t('Held by'), show: ({ custodianLabel, custodian }) => <span title={custodian}>{custodianLabel ?? custodian}</span> },
        { name: t('State'), show: (lot) => <Status of={nameOf(lot)} /> },
        {
          name: t('Recall'),
          show: ({ tokenId, tlc, recalled }) =>
            recalled ? (
              <LotLink id={tokenId}>{t('See the recall')}</LotLink>
            ) : (
              <Link to={`/lots/${tokenId}/recall`}>
                {isAdmin.value ? t('Recall {lot}', { lot: tlc }) : t('Preview a recall of {lot}', { lot: tlc })}
              </Link>
            ),
        },
      ]}
    />
  );
}

function Others({ of: { products, companies, documents } }: { readonly of: SearchView }) {
  return (
    <>
      {documents.length > 0 && (
        <Table
          caption={t('Documents found')}
          rows={documents}
          keyOf={({ eventId, number, type }) => `${eventId} ${number} ${type}`}
          columns={[
            {
              name: t('Document'),
              show: ({ number, type, eventId }) => <Link to={`/events/${eventId}`}>{[type, number].filter(Boolean).join(' ')}</Link>,
            },
            { name: t('Issued by'), show: ({ issuer }) => issuer ?? '–' },
            {
              name: t('Lots'),
              show: ({ tokenIds }) =>
                tokenIds.map((id) => (
                  <span key={id}>
                    <LotLink id={id}>{t('lot {id}', { id: String(id) })}</LotLink>{' '}
                  </span>
                )),
            },
          ]}
        />
      )}
      {(products.length > 0 || companies.length > 0) && (
        <p class="hint">
          {[
            ...products.map(({ name, assetType }) => t('Product {name}', { name: name ?? assetType })),
            ...companies.map(({ name }) => t('Company {name}', { name })),
          ].join('; ')}
          . {t('Their newest lots are above.')}
        </p>
      )}
    </>
  );
}
