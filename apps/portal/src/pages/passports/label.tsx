import { useState } from 'preact/hooks';
import { Section } from '../../parts/basics';
import { Select } from '../../parts/inputs';
import { type Phrase, phrase, t } from '../../state/language';
import type { Passport } from './passports';

const SYMBOLS: readonly (readonly [string, Phrase])[] = [
  ['qr', phrase('QR code: every phone reads it')],
  ['gs1-datamatrix', phrase('GS1 DataMatrix: small goods, scanners')],
  ['gs1-128', phrase('GS1-128 bar code: cartons and pallets')],
];

/** The label as it is printed. The codes of GS1 need a key of GS1. */
export function Label({ of: { id, tlc, gtin } }: { readonly of: Pick<Passport, 'id' | 'tlc' | 'gtin'> }) {
  const [symbol, setSymbol] = useState('qr');
  const offered = gtin === null ? SYMBOLS.slice(0, 1) : SYMBOLS;
  const query = `symbol=${symbol}`;
  return (
    <Section title={t('Label')}>
      <div class="pair">
        <div class="stack">
          <Select label={t('Code')} of={offered.map(([key, name]) => [key, t(name)] as const)} value={symbol} onChange={setSymbol} />
          <div class="actions">
            <a class="button" href={`/p/${id}/label.pdf?${query}`} target="_blank" rel="noopener">
              {t('Print one label (PDF)')}
            </a>
            <a class="button" href={`/p/${id}/label.pdf?${query}&sheet=a4`} target="_blank" rel="noopener">
              {t('Print an A4 sheet (PDF)')}
            </a>
            <a class="button" href={`/p/${id}/label.svg?${query}`} download={`${tlc}-${symbol}.svg`}>
              {t('Download (SVG)')}
            </a>
          </div>
          <p class="hint">{t('Print at actual size, without scaling.')}</p>
        </div>
        <img class="label-preview" key={query} src={`/p/${id}/label.svg?${query}`} alt={t('Label of lot {tlc}', { tlc })} />
      </div>
    </Section>
  );
}
