import type { LotView, PreparedCustodyView } from '#client';
import { Select, Text } from '../../parts/inputs';
import { readQuantity } from '../../parts/quantity';
import { Sign } from '../../parts/sign';
import { SureSign } from '../../parts/sure-sign';
import { UNITS, showQuantity } from '../../state/format';
import { useDraft } from '../../state/load';
import { api, me } from '../../state/session';

const REASONS = [
  ['shortage', 'Shortage'],
  ['damage', 'Damaged'],
  ['refused', 'Refused'],
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
      <p class="hint">{pendingCustodian === me.value?.wallet ? 'This lot is in transfer to you.' : 'This lot is in transfer.'}</p>
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
      label={many ? 'Cancel' : 'Cancel the transfer'}
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
          <summary>Accept only a part</summary>
          <Text
            label={`Accepted quantity (${UNITS[uom!] ?? uom})`}
            hint={fault ?? `Leave empty to accept all ${all}. The rest goes back to the sender.`}
            value={part}
            onChange={setPart}
          />
          {takesLess && <Select label="Reason for less" of={REASONS} value={reason} onChange={setReason} />}
        </details>
      )}
      <Sign
        label={takesLess ? `Accept ${showQuantity(quantity.value, quantity.uom)}` : many ? 'Accept' : 'Accept this lot'}
        type="custody-accept"
        name={`accept ${tokenId}`}
        disabled={fault !== undefined}
        prepare={accept}
        onLanded={again}
      />
      <SureSign
        label="Reject"
        confirm="Reject this lot"
        type="custody-reject"
        name={`reject ${tokenId}`}
        says={
          <p>
            You refuse <strong>{remainingQuantity === null ? 'all' : all}</strong> of {assetTypeName ?? 'the lot'}, lot{' '}
            <strong>{tlc}</strong>. It stays with the sender, who must offer it again.
          </p>
        }
        prepare={() => api().post<PreparedCustodyView>('/api/v1/custody/prepare', { action: 'reject', tokenIds: [tokenId] })}
        onLanded={again}
      />
    </div>
  );
}
