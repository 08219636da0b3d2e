import type { LotView, PreparedCustodyView } from '#client';
import { Select, Text } from '../../parts/inputs';
import { readQuantity } from '../../parts/quantity';
import { Sign } from '../../parts/sign';
import { SureSign } from '../../parts/sure-sign';
import { UNITS, showQuantity } from '../../state/format';
import { useDraft } from '../../state/load';
import { api, me } from '../../state/session';
import { phrase, t, tx } from '../../state/language';

const REASONS = [
  ['shortage', phrase('Shortage')],
  ['damage', phrase('Damaged')],
  ['refused', phrase('Refused')],
] as const;

/** What the two sides of an offer need to know about its lot. */
export type Offer = Pick<LotView, 'tokenId' | 'tlc' | 'remainingQuantity' | 'uom'> & {
  readonly assetTypeName: string | null;
  readonly from: string;
  readonly to: string;
  /** Whether a part of it can be taken. */
  readonly hasParts: boolean;
};

/** On the page of a lot. */
export function OfferedLot({ lot, again }: { readonly lot: LotView; readonly again: () => void }) {
  const { isContainer, recalled, remainingQuantity, uom, custodian, pendingCustodian } = lot;
  const hasParts = !isContainer && !recalled && remainingQuantity !== null && uom !== null;
  return (
    <>
      <p class="hint">{pendingCustodian === me.value?.wallet ? t('This lot is in transfer to you.') : t('This lot is in transfer.')}</p>
      <AnswerOffer offer={{ ...lot, from: custodian, to: pendingCustodian!, hasParts }} again={again} />
    </>
  );
}

interface Answering {
  readonly offer: Offer;
  readonly again: () => void;
  /** Of a page with several offers: more than one button has this name. */
  readonly many?: boolean;
}

/** The pending custodian accepts, all or a part, or rejects; the custodian may cancel. */
export function AnswerOffer({ offer, again, many = false }: Answering) {
  if (offer.to === me.value?.wallet) return <Receive offer={offer} again={again} many={many} />;
  if (offer.from !== me.value?.wallet) return null;
  return (
    <Sign
      label={many ? t('Cancel') : t('Cancel the transfer')}
      type="custody-cancel"
      name={`cancel ${offer.tokenId}`}
      prepare={() => api().post<PreparedCustodyView>('/api/v1/custody/prepare', { action: 'cancel', tokenIds: [offer.tokenId] })}
      onLanded={again}
    />
  );
}

function Receive({ offer, again, many = false }: Answering) {
  const { tokenId, tlc, remainingQuantity, uom, assetTypeName, hasParts } = offer;
  const [part, setPart] = useDraft(`accept ${tokenId}`, '');
  const [reason, setReason] = useDraft(`reason ${tokenId}`, 'shortage');
  const { quantity, fault } = readQuantity(part, offer);
  const takesLess = quantity !== null;
  const all = showQuantity(remainingQuantity, uom);
  const accept = () =>
    api().post<PreparedCustodyView>('/api/v1/custody/prepare', {
      action: 'accept',
      lots: [{ tokenId, ...(quantity && { quantity }) }],
      ...(takesLess && { reason }),
    });
  return (
    <div class="stack">
      {hasParts && (
        <details open={part !== ''}>
          <summary>{t('Accept only a part')}</summary>
          <Text
            label={`${t('Accepted quantity')} (${UNITS[uom!] ?? uom})`}
            hint={fault ?? t('Leave empty to accept all {amount}. The rest goes back to the sender.', { amount: all })}
            value={part}
            onChange={setPart}
          />
          {takesLess && <Select label={t('Reason for less')} of={REASONS} value={reason} onChange={setReason} />}
        </details>
      )}
      <Sign
        label={
          takesLess
            ? t('Accept {amount}', { amount: showQuantity(quantity.value, quantity.uom) })
            : many
              ? t('Accept')
              : t('Accept this lot')
        }
        type="custody-accept"
        name={`accept ${tokenId}`}
        disabled={fault !== undefined}
        prepare={accept}
        onLanded={again}
      />
      <SureSign
        label={t('Reject')}
        confirm={t('Reject this lot')}
        type="custody-reject"
        name={`reject ${tokenId}`}
        says={
          <p>
            {tx('You refuse {amount} of {product}, lot {lot}. It stays with the sender, who must offer it again.', {
              amount: <strong>{remainingQuantity === null ? t('all') : all}</strong>,
              product: assetTypeName ?? t('the lot'),
              lot: <strong>{tlc}</strong>,
            })}
          </p>
        }
        prepare={() => api().post<PreparedCustodyView>('/api/v1/custody/prepare', { action: 'reject', tokenIds: [tokenId] })}
        onLanded={again}
      />
    </div>
  );
}
