import { Field, Section } from '../parts/basics';
import { HolderField } from '../parts/holder-field';
import type { EventDraft, Handing } from './draft.js';
import type { Issue } from './issues.js';
import type { Process } from './process.js';
import { inWords } from './words.js';
import { type Phrase, phrase, t } from '../state/language';

const HANDINGS: Readonly<Record<Handing, Phrase>> = {
  offer: phrase('Transfer the lots to the next holder'),
  accept: phrase('Accept the lots'),
  none: phrase('Record only; the holder stays the same'),
};

interface Outcome {
  readonly draft: EventDraft;
  readonly set: (change: Partial<EventDraft>) => void;
  readonly said: (at: string) => readonly Issue[];
}

/** Who holds the lots afterwards. */
export function Custody({ draft, set, said }: Outcome) {
  return (
    <Section title={t('Custody')}>
      <div class="stack">
        <Field label={t('Custody action')}>
          <select value={draft.handing} onChange={({ currentTarget }) => set({ handing: currentTarget.value as Handing, lots: [] })}>
            {Object.entries(HANDINGS).map(([key, label]) => (
              <option key={key} value={key}>
                {t(label)}
              </option>
            ))}
          </select>
        </Field>
        {draft.handing === 'offer' && (
          <HolderField
            label={t('Next holder')}
            hint={t('Wallet address or company name')}
            value={draft.to}
            error={sentence(said('/to'))}
            onChange={(to) => set({ to })}
          />
        )}
      </div>
    </Section>
  );
}

const sentence = (issues: readonly Issue[]): string | undefined => issues.map(({ message }) => inWords(message)).join('; ') || undefined;

/** What comes out of it: its code, and who holds it. */
export function Output({ process, draft, set, said }: Outcome & { readonly process: Process }) {
  const made = process.assetTypes[process.outputs.assetType ?? '']?.name;
  const template = process.tlc?.template;
  return (
    <Section title={made ? t('Output lot: {product}', { product: made }) : t('Output lot')}>
      <div class="fields">
        <Field
          label={t(template ? 'Lot code (optional)' : 'Lot code')}
          hint={template && t('Leave empty to generate one as {template}', { template })}
          error={sentence(said('/outputTlc'))}
        >
          <input
            value={draft.outputTlc}
            spellcheck={false}
            aria-invalid={said('/outputTlc').length > 0}
            onInput={({ currentTarget }) => set({ outputTlc: currentTarget.value.trim() })}
          />
        </Field>
        <HolderField
          label={t('Holder (optional)')}
          hint={t('Leave empty to hold it yourself')}
          value={draft.outputCustodian}
          error={sentence(said('/outputCustodian'))}
          onChange={(outputCustodian) => set({ outputCustodian })}
        />
      </div>
    </Section>
  );
}
