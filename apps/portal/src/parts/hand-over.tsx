import type { LotView, PreparedCustodyView } from '#client';
import { showQuantity, showUnit } from '../state/format';
import { useDraft } from '../state/load';
import { numberOrText } from '../state/numbers.js';
import { api, me } from '../state/session';
import { Link, Section } from './basics';
import { HolderField } from './holder-field';
import { Select, Text } from './inputs';
import { Sign } from './sign';

/** The custodian may transfer it; everybody may preview a recall. */
export function HandOver({ lot, again }: { readonly lot: LotView; readonly again: () => void }) {
  const [to, setTo] = useDraft(`offer ${lot.tokenId}`, '');
  const [part, setPart] = useDraft(`part ${lot.tokenId}`, '');
  const mine = lot.custodian === me.value?.wallet;
  const prepare = (): Promise<PreparedCustodyView> =>
    api().post('/api/v1/custody/prepare', { action: 'offer', lots: [handedOver(lot, part)], to });
  return (
    <Section title="Actions">
      <div class="stack">
        {mine && lot.pendingCustodian === null && (
          <>
            <HolderField label="Transfer to" hint="Wallet address or company name" value={to} onChange={setTo} />
            {hasParts(lot) && (
              <Text
                label={`Quantity (${showUnit(lot.uom!)})`}
                hint={`Leave empty to transfer all ${showQuantity(lot.remainingQuantity, lot.uom)}. A part becomes a lot of its own with the same code.`}
                value={part}
                onChange={setPart}
              />
            )}
            <Sign
              label="Transfer this lot"
              type="custody-offer"
              disabled={!/^0x[0-9a-fA-F]{40}$/.test(to)}
              prepare={prepare}
              onLanded={() => {
                setTo('');
                setPart('');
                again();
              }}
            />
          </>
        )}
        {lot.pendingCustodian !== null && <Offered lot={lot} mine={mine} again={again} />}
        <p class="links">
          {mine && <Link to={`/record?lot=${lot.tokenId}`}>Record an event with this lot</Link>}
          <Link to={`/lots/${lot.tokenId}/recall`}>Preview recall</Link>
        </p>
      </div>
    </Section>
  );
}

const hasParts = ({ isContainer, remainingQuantity, uom, recalled }: LotView): boolean =>
  !isContainer && !recalled && remainingQuantity !== null && uom !== null;

/** @param part empty = all of it */
const handedOver = ({ tokenId, uom }: LotView, part: string): object =>
  part.trim() === '' ? { tokenId } : { tokenId, quantity: { value: numberOrText(part), uom } };

const REASONS = [
  ['shortage', 'Shortage'],
  ['damage', 'Damaged'],
  ['refused', 'Refused'],
] as const;

/** The pending custodian accepts or rejects here; the custodian may cancel. */
function Offered({ lot, mine, again }: { readonly lot: LotView; readonly mine: boolean; readonly again: () => void }) {
  const toMe = lot.pendingCustodian === me.value?.wallet;
  const [part, setPart] = useDraft(`accept ${lot.tokenId}`, '');
  const [reason, setReason] = useDraft(`reason ${lot.tokenId}`, 'shortage');
  const takesLess = part.trim() !== '';
  const actions = toMe ? (['accept', 'reject'] as const) : mine ? (['cancel'] as const) : [];
  return (
    <>
      <p class="hint">{toMe ? 'This lot is in transfer to you.' : 'This lot is in transfer.'}</p>
      {toMe && hasParts(lot) && (
        <Text
          label={`Accepted quantity (${showUnit(lot.uom!)})`}
          hint={`Leave empty to accept all ${showQuantity(lot.remainingQuantity, lot.uom)}. The rest goes back to the sender.`}
          value={part}
          onChange={setPart}
        />
      )}
      {takesLess && <Select label="Reason for less" of={REASONS} value={reason} onChange={setReason} />}
      {actions.map((action) => (
        <Sign
          key={action}
          label={{ accept: 'Accept this lot', reject: 'Reject', cancel: 'Cancel the transfer' }[action]}
          type={`custody-${action}`}
          name={`${action} ${lot.tokenId}`}
          prepare={() =>
            api().post<PreparedCustodyView>('/api/v1/custody/prepare', {
              action,
              ...(action === 'accept' ? { lots: [handedOver(lot, part)], ...(takesLess && { reason }) } : { tokenIds: [lot.tokenId] }),
            })
          }
          onLanded={again}
        />
      ))}
    </>
  );
}
