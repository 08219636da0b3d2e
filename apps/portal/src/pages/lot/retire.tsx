import type { LotView } from '#client';
import { Select, Text } from '../../parts/inputs';
import { SureSign } from '../../parts/sure-sign';
import { UNITS, showQuantity } from '../../state/format';
import { useDraft } from '../../state/load';
import { api, me } from '../../state/session';
import type { Prepared } from '../../state/signing';
import { readQuantity } from '../../parts/quantity';

const REASONS = [
  ['sold', 'Sold to a consumer'],
  ['disposed', 'Disposed of'],
  ['destroyed', 'Destroyed'],
  ['lost', 'Lost'],
  ['sampled', 'Taken as a sample'],
  ['exported', 'Exported'],
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
      ? `all ${showQuantity(lot.remainingQuantity, lot.uom)}`
      : 'all';
  return (
    <details>
      <summary>Retire</summary>
      <div class="stack">
        <Select label="Why it leaves" of={reasons} value={reason[0]} onChange={(next) => setDraft({ ...draft, reason: next })} />
        {measured && (
          <Text
            label={`Quantity that leaves (${UNITS[lot.uom] ?? lot.uom})`}
            hint={fault ?? `Leave empty for all ${showQuantity(lot.remainingQuantity, lot.uom)}.`}
            value={draft.part}
            onChange={(part) => setDraft({ ...draft, part })}
          />
        )}
        <SureSign
          label="Retire this lot"
          type="retire"
          name={`retire ${lot.tokenId}`}
          disabled={fault !== undefined}
          says={
            <p>
              You take <strong>{amount}</strong> of {lot.assetTypeName ?? 'the lot'}, lot <strong>{lot.tlc}</strong>, out of the chain of
              custody: <strong>{reason[1].toLowerCase()}</strong>. This cannot be undone.
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
