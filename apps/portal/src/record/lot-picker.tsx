import { useEffect, useState } from 'preact/hooks';
import type { LotView } from '#client';
import { Empty, Field, LotLink, Show } from '../parts/basics';
import { UNITS, showQuantity } from '../state/format';
import { More } from '../parts/more';
import { filtersOf, readCode } from '../scan/code.js';
import { ScanButton } from '../scan/scan-button';
import { useList } from '../state/list';
import { useSettled } from '../state/load';
import { me } from '../state/session';
import { writeNumber } from '../state/numbers.js';
import type { Doubt } from './doubts.js';
import type { ChosenLot, Handing } from './draft.js';
import type { Issue } from './issues.js';
import { NumberChoice } from './number-choice';
import type { Process } from './process.js';
import { inWords } from './words.js';
import { phrase, t, translated } from '../state/language';

const SHOWN = 50;
const NOT_YET = phrase('None of the lots shown can be used. Show more, or type the beginning of a code.');

/** The lots that go in: those that may, by their code; and how much of each, where the process says so. */
export function LotPicker({
  process,
  handing,
  lots,
  doubts,
  said,
  onChange,
}: {
  readonly process: Process;
  readonly handing: Handing;
  readonly lots: readonly ChosenLot[];
  readonly doubts: ReadonlyMap<string, Doubt>;
  readonly said: (index: number) => readonly Issue[];
  readonly onChange: (lots: readonly ChosenLot[]) => void;
}) {
  const change = (index: number, part: Partial<ChosenLot>): void =>
    onChange(lots.map((lot, other) => (other === index ? { ...lot, ...part } : lot)));
  const doubtAt = (index: number): Doubt | undefined => doubts.get(`/metadata/inputs/${index}`);
  return (
    <div class="stack">
      {lots.map((lot, index) => (
        <div key={lot.tokenId} class="row">
          <span class="grow">
            <LotLink id={lot.tokenId}>{lot.tlc}</LotLink> {lot.name} <span class="hint">{t('{amount} left', { amount: lot.left })}</span>
          </span>
          {process.hasLines && (
            <>
              <Field label={t('Quantity used of {lot}', { lot: lot.tlc })}>
                <input
                  inputMode="decimal"
                  aria-invalid={said(index).length > 0}
                  value={lot.quantity}
                  onInput={({ currentTarget }) => change(index, { quantity: currentTarget.value })}
                />
              </Field>
              <span class="unit">{translated(UNITS[lot.uom] ?? lot.uom)}</span>
            </>
          )}
          <button
            type="button"
            aria-label={t('Remove {name}', { name: lot.tlc })}
            onClick={() => onChange(lots.filter((_, other) => other !== index))}
          >
            {t('Remove')}
          </button>
          {said(index).map(({ message }) => (
            <p key={message} class="error wide">
              {inWords(message)}
            </p>
          ))}
          {doubtAt(index) && (
            <NumberChoice
              doubt={doubtAt(index)!}
              label={t('Quantity used of {lot}', { lot: lot.tlc })}
              onChoose={(value) => change(index, { quantity: writeNumber(value) })}
            />
          )}
        </div>
      ))}
      {(process.inputs.max === null || lots.length < process.inputs.max) && (
        <Candidates process={process} handing={handing} chosen={lots} onChoose={(lot) => onChange([...lots, lot])} />
      )}
    </div>
  );
}

export const chosenOf = (lot: LotView): ChosenLot => ({
  tokenId: lot.tokenId,
  tlc: lot.tlc,
  name: lot.assetTypeName ?? lot.assetType ?? '',
  left: showQuantity(lot.remainingQuantity, lot.uom),
  quantity: lot.remainingQuantity === null ? '' : writeNumber(lot.remainingQuantity),
  uom: lot.uom ?? '',
});

function Candidates({
  process,
  handing,
  chosen,
  onChoose,
}: {
  readonly process: Process;
  readonly handing: Handing;
  readonly chosen: readonly ChosenLot[];
  readonly onChoose: (lot: ChosenLot) => void;
}) {
  const [code, setCode] = useState('');
  const asked = useSettled(code.trim());
  const query = queryOf(process, handing, asked);
  const found = useList<LotView>(`/api/v1/nfts?${query}`, asked === '' ? `lots for ${process.processType} ${handing}` : null);
  const [scanned, setScanned] = useState('');
  const taken = new Set(chosen.map(({ tokenId }) => tokenId));
  const fits = (lot: LotView): boolean => !taken.has(lot.tokenId) && mayGoIn(process, handing, lot);
  const choose = (lot: LotView): void => {
    setCode('');
    setScanned('');
    onChoose(chosenOf(lot));
  };
  return (
    <div class="stack">
      <div class="find">
        <Field label={t('Find a lot by its code')} hint={t('Also a GS1 Digital Link, or the text of a bar code')}>
          <input type="search" value={code} onInput={({ currentTarget }) => setCode(currentTarget.value)} />
        </Field>
        <ScanButton
          label={t('Scan a lot')}
          onCode={(text) => {
            setCode(text);
            setScanned(text.trim());
          }}
        />
      </div>
      <ChooseScanned found={scanned !== '' && scanned === asked && !found.busy ? found.data : null} fits={fits} onChoose={choose} />
      <Show what={found}>
        {({ data }) => {
          const fitting = data.filter(fits);
          return (
            <>
              {fitting.length === 0 && (chosen.length === 0 || asked !== '') && (
                <Empty>{found.more ? t(NOT_YET) : nothing(process, asked)}</Empty>
              )}
              <ul class="picks">
                {fitting.map((lot) => (
                  <li key={lot.id}>
                    <button type="button" onClick={() => choose(lot)}>
                      {t('Use {lot}', { lot: lot.tlc })}
                    </button>{' '}
                    <span>
                      {lot.assetTypeName ?? lot.assetType} <span class="hint">{showQuantity(lot.remainingQuantity, lot.uom)}</span>
                    </span>
                  </li>
                ))}
              </ul>
              <More of={found} />
            </>
          );
        }}
      </Show>
    </div>
  );
}

/** What was scanned is chosen where it is one lot: nobody taps what they have just held up. */
function ChooseScanned({
  found,
  fits,
  onChoose,
}: {
  readonly found: { readonly data: readonly LotView[] } | null;
  readonly fits: (lot: LotView) => boolean;
  readonly onChoose: (lot: LotView) => void;
}) {
  const fitting = found?.data.filter(fits) ?? [];
  const only = fitting.length === 1 ? fitting[0]! : null;
  useEffect(() => {
    if (only) onChoose(only);
  }, [only?.tokenId]);
  return null;
}

function nothing({ inputs, assetTypes }: Process, asked: string): string {
  if (asked !== '') return t('No usable lot begins with {code}.', { code: asked });
  const kinds = inputs.assetTypes.flatMap((key) => assetTypes[key]?.name ?? []).join(', ');
  if (kinds === '') return t('You hold no usable lot. Accept a transfer, or record an event that creates one.');
  return t('You hold no usable lot ({kinds}). Accept a transfer, or record an event that creates one.', { kinds });
}

function queryOf({ inputs, kind }: Process, handing: Handing, code: string): string {
  const query = new URLSearchParams({ limit: String(SHOWN) });
  for (const [name, value] of Object.entries(filtersOf(readCode(code)))) query.set(name, value);
  if (handing === 'accept') query.set('status', 'in_transit');
  else if (kind !== 'disposal' && kind !== 'observation') query.set('status', 'active');
  const [only, ...others] = inputs.assetTypes;
  if (only && only !== '*' && others.length === 0) query.set('assetType', only);
  const wallet = me.value?.wallet;
  if (wallet && handing !== 'accept' && kind !== 'observation') query.set('custodian', wallet);
  return query.toString();
}

const mayGoIn = ({ inputs }: Process, handing: Handing, lot: LotView): boolean =>
  (inputs.assetTypes.includes('*') || inputs.assetTypes.includes(lot.assetType ?? '')) &&
  (handing !== 'accept' || lot.pendingCustodian === me.value?.wallet) &&
  lot.status !== 'consumed' &&
  lot.status !== 'retired';
