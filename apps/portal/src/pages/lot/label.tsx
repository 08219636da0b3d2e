import { ApiProblem, type LotView } from '#client';
import { Section } from '../../parts/basics';
import { Select } from '../../parts/inputs';
import { useState } from 'preact/hooks';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';
import { phrase, t } from '../../state/language';

const SYMBOLS = [
  ['qr', phrase('QR code with the Digital Link')],
  ['gs1-datamatrix', phrase('GS1 DataMatrix')],
  ['gs1-128', phrase('GS1-128 bar code')],
] as const;

/** The label of a lot that has a passport: its code leads to the passport. */
export function Label({ lot }: { readonly lot: LotView }) {
  const [symbol, setSymbol] = useState('qr');
  const at = `/api/v1/nfts/${lot.tokenId}/passport`;
  const id = useLoad(at, async () => {
    try {
      return (await api().get<{ readonly passportId: string | null }>(at)).passportId;
    } catch (problem) {
      if (problem instanceof ApiProblem && problem.status === 404) return null;
      throw problem;
    }
  }).data;
  if (!id) return null;
  const printed = (format: string, sheet = ''): string => `/p/${id}/label.${format}?symbol=${symbol}${sheet}`;
  const links: readonly (readonly [string, string])[] = [
    [printed('pdf'), t('Print one label (PDF)')],
    [printed('pdf', '&sheet=a4'), t('Print a sheet of labels (PDF)')],
    [printed('svg'), t('Label as a picture (SVG)')],
    [`/p/${id}`, t('Open the passport')],
  ];
  return (
    <Section title={t('Label')}>
      <div class="stack">
        <Select
          label={t('Code on the label')}
          of={lot.digitalLink === null ? SYMBOLS.slice(0, 1) : SYMBOLS}
          value={symbol}
          onChange={setSymbol}
        />
        <p class="links">
          {links.map(([to, name]) => (
            <a key={name} href={to} target="_blank" rel="noreferrer noopener">
              {name}
            </a>
          ))}
        </p>
      </div>
    </Section>
  );
}
