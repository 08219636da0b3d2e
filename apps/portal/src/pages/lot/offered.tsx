import type { LotView, PreparedCustodyView } from '#client';
import { Select, Text } from '../../parts/inputs';
import { readQuantity } from '../../parts/quantity';
import { Sign } from '../../parts/sign';
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

/** How much of what, and its code. */
const Goods = ({ offer: { remainingQuantity, uom, assetTypeName, tlc } }: { readonly offer: Offer }) => (
  <strong>
    {t('{goods}, lot {lot}', {
      goods:
        remainingQuantity === null
          ? (assetTypeName ?? t('all'))
          : t('{amount} of {product}', { amount: showQuantity(remainingQuantity, uom), product: assetTypeName ?? t('the lot') }),
      lot: tlc,
    })}
  </strong>
);

interface Answering {
  readonly offer: Offer;
  /** It has landed. @param said what was done */
  readonly again: (said: string) => void;
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
      confirm={t('Cancel the transfer')}
      type="custody-cancel"
      says={
        <p>
          {tx('You take {goods} back: the transfer ends, and the lot stays with you. You can transfer it again.', {
            goods: <Goods offer={offer} />,
          })}
        </p>
      }
      name={`cancel ${offer.tokenId}`}
      prepare={() => api().post<PreparedCustodyView>('/api/v1/custody/prepare', { action: 'cancel', tokenIds: [offer.tokenId] })}
      onLanded={() => again(t('You cancelled the transfer of lot {lot}.', { lot: offer.tlc }))}
    />
  );
}

function Receive({ offer, again, many = false }: Answering) {
  const { tokenId, remainingQuantity, uom, hasParts } = offer;
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
        confirm={takesLess ? t('Accept {amount}', { amount: showQuantity(quantity.value, quantity.uom) }) : t('Accept this lot')}
        type="custody-accept"
        says={
          <p>
            {takesLess
              ? tx('You take over {part} of {goods}. The rest goes back to the sender: {reason}.', {
                  part: <strong>{showQuantity(quantity.value, quantity.uom)}</strong>,
                  goods: <Goods offer={offer} />,
                  reason: t(REASONS.find(([key]) => key === reason)![1]),
                })
              : tx('You take over {goods}. From then on you are its holder; to give it back you transfer it.', {
                  goods: <Goods offer={offer} />,
                })}
          </p>
        }
        name={`accept ${tokenId}`}
        disabled={fault !== undefined}
        prepare={accept}
        onLanded={() => {
          setPart('');
          again(tookOver(offer, takesLess ? showQuantity(quantity.value, quantity.uom) : all));
        }}
      />
      <Sign
        final
        label={t('Reject')}
        confirm={t('Reject this lot')}
        type="custody-reject"
        name={`reject ${tokenId}`}
        says={<p>{tx('You refuse {goods}. It stays with the sender, who must offer it again.', { goods: <Goods offer={offer} /> })}</p>}
        prepare={() => api().post<PreparedCustodyView>('/api/v1/custody/prepare', { action: 'reject', tokenIds: [tokenId] })}
        onLanded={() => again(t('You rejected lot {lot}.', { lot: offer.tlc }))}
      />
    </div>
  );
}

const tookOver = ({ remainingQuantity, tlc }: Offer, amount: string): string =>
  remainingQuantity === null
    ? t('You took over lot {lot}.', { lot: tlc })
    : t('You took over {amount} of lot {lot}.', { amount, lot: tlc });
