import type { LotView } from '#client';
import { Select, Text } from '../../parts/inputs';
import { Sign } from '../../parts/sign';
import { UNITS, showQuantity } from '../../state/format';
import { useDraft } from '../../state/load';
import { api, me } from '../../state/session';
import type { Prepared } from '../../state/signing';
import { readQuantity } from '../../parts/quantity';
import { phrase, t, tx } from '../../state/language';

const REASONS = [
  ['sold', phrase('Sold to a consumer')],
  ['disposed', phrase('Disposed of')],
  ['destroyed', phrase('Destroyed')],
  ['lost', phrase('Lost')],
  ['sampled', phrase('Taken as a sample')],
  ['exported', phrase('Exported')],
] as const;
/** A recalled lot must not reach anyone. */
const OF_RECALLED = new Set(['disposed', 'destroyed', 'lost', 'sampled']);
const MAY = ['OPERATOR', 'ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'];

/** Takes a lot, or a part of it, out of the chain of custody. */
export function Retire({ lot, again }: { readonly lot: LotView; readonly again: () => void }) {
  const [draft, setDraft] = useDraft(`retire ${lot.tokenId}`, { reason: 'disposed', part: '' });
  const isFree = lot.pendingCustodian === null && !lot.contained && lot.status !== 'retired' && lot.status !== 'consumed';
  const may = lot.custodian === me.value?.wallet && me.value.roles.some((role) => MAY.includes(role));
  if (!isFree || !may) return null;
  const measured = lot.remainingQuantity !== null && lot.uom !== null;
  const { quantity, fault } = readQuantity(draft.part, lot);
  const reasons = REASONS.filter(([reason]) => !lot.recalled || OF_RECALLED.has(reason));
  const reason = reasons.find(([key]) => key === draft.reason) ?? reasons[0]!;
  const amount = quantity
    ? showQuantity(quantity.value, quantity.uom)
    : measured
      ? t('all {amount}', { amount: showQuantity(lot.remainingQuantity, lot.uom) })
      : 'all';
  return (
    <details>
      <summary>{t('Retire')}</summary>
      <div class="stack">
        <Select label={t('Why it leaves')} of={reasons} value={reason[0]} onChange={(next) => setDraft({ ...draft, reason: next })} />
        {measured && (
          <Text
            label={`${t('Quantity that leaves')} (${UNITS[lot.uom] ?? lot.uom})`}
            hint={fault ?? t('Leave empty for all {amount}', { amount: showQuantity(lot.remainingQuantity, lot.uom) })}
            value={draft.part}
            onChange={(part) => setDraft({ ...draft, part })}
          />
        )}
        <Sign
          final
          label={t('Retire this lot')}
          type="retire"
          name={`retire ${lot.tokenId}`}
          disabled={fault !== undefined}
          says={
            <p>
              {tx('You take {amount} of {product}, lot {lot}, out of the chain of custody: {reason}. This cannot be undone.', {
                amount: <strong>{amount}</strong>,
                product: lot.assetTypeName ?? t('the lot'),
                lot: <strong>{lot.tlc}</strong>,
                reason: <strong>{t(reason[1])}</strong>,
              })}
            </p>
          }
          prepare={() =>
            api().post<Prepared>(`/api/v1/nfts/${lot.tokenId}/retire/prepare`, {
              reason: reason[0],
              ...(quantity && { quantity }),
            })
          }
          onLanded={again}
        />
      </div>
    </details>
  );
}
