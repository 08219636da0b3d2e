import type { LotView, PreparedCustodyView } from '#client';
import { UNITS, showQuantity } from '../../state/format';
import { useDraft } from '../../state/load';
import { api, me } from '../../state/session';
import { Link, Section } from '../../parts/basics';
import { Hold } from './hold';
import { OfferedLot } from './offered';
import { Retire } from './retire';
import { HolderField, useHolderName } from '../../parts/holder-field';
import { Text } from '../../parts/inputs';
import { readQuantity } from '../../parts/quantity';
import { Sign } from '../../parts/sign';
import { isWalletAddress } from '../../parts/wallets';
import { t, tx } from '../../state/language';

/** What its state forbids; null where the lot can be handed over. */
function obstacle({ status, recalled, onHold, contained, containerTokenId }: LotView): string | null {
  if (status === 'retired' || status === 'consumed')
    return status === 'retired'
      ? t('Nothing is left to transfer: the lot is retired.')
      : t('Nothing is left to transfer: the lot is used up.');
  if (contained) return t('The lot is in container {id}. Transfer the container, or break it up first.', { id: String(containerTokenId) });
  if (onHold) return t('The lot is on hold and cannot be transferred until it is released.');
  return recalled ? t('A recalled lot can only go back, to a wallet that takes returns.') : null;
}

/** The custodian may transfer it; everybody may preview a recall. */
export function HandOver({ lot, again }: { readonly lot: LotView; readonly again: () => void }) {
  const [to, setTo] = useDraft(`offer ${lot.tokenId}`, '');
  const [part, setPart] = useDraft(`part ${lot.tokenId}`, '');
  const mine = lot.custodian === me.value?.wallet;
  const stops = obstacle(lot);
  const holder = useHolderName(to);
  const { quantity, fault } = readQuantity(part, lot);
  const prepare = (): Promise<PreparedCustodyView> =>
    api().post('/api/v1/custody/prepare', { action: 'offer', lots: [{ tokenId: lot.tokenId, ...(quantity && { quantity }) }], to });
  return (
    <Section title={t('Actions')}>
      <div class="stack">
        {mine && stops && <p class="hint">{stops}</p>}
        {mine && lot.pendingCustodian === null && (stops === null || lot.recalled) && (
          <>
            <HolderField label={t('Transfer to')} hint={t('Wallet address or company name')} value={to} onChange={setTo} />
            {hasParts(lot) && (
              <Text
                label={`${t('Quantity')} (${UNITS[lot.uom!] ?? lot.uom})`}
                hint={
                  fault ??
                  t('Leave empty to transfer all {amount}. A part becomes a lot of its own with the same code.', {
                    amount: showQuantity(lot.remainingQuantity, lot.uom),
                  })
                }
                value={part}
                onChange={setPart}
              />
            )}
            <Sign
              label={t('Transfer this lot')}
              type="custody-offer"
              says={
                <p>
                  {tx('You transfer {amount} of {product}, lot {lot}, to {holder}. Until it is accepted you can cancel the transfer.', {
                    amount: <strong>{amountOf(lot, quantity)}</strong>,
                    product: lot.assetTypeName ?? t('the lot'),
                    lot: <strong>{lot.tlc}</strong>,
                    holder: <strong title={to}>{holder ?? to}</strong>,
                  })}
                </p>
              }
              disabled={!isWalletAddress(to) || fault !== undefined}
              prepare={prepare}
              onLanded={() => {
                setTo('');
                setPart('');
                again();
              }}
            />
          </>
        )}
        {lot.pendingCustodian !== null && <OfferedLot lot={lot} again={again} />}
        <Hold lot={lot} again={again} />
        <Retire lot={lot} again={again} />
        <p class="links">
          {mine && <Link to={`/record?lot=${lot.tokenId}`}>{t('Record an event with this lot')}</Link>}
          <Link to={`/lots/${lot.tokenId}/recall`}>{t('Preview recall')}</Link>
        </p>
      </div>
    </Section>
  );
}

const amountOf = ({ remainingQuantity, uom }: LotView, part: ReturnType<typeof readQuantity>['quantity']): string => {
  if (part) return showQuantity(part.value, part.uom);
  return remainingQuantity === null ? t('all') : t('all {amount}', { amount: showQuantity(remainingQuantity, uom) });
};

const hasParts = ({ isContainer, remainingQuantity, uom, recalled }: LotView): boolean =>
  !isContainer && !recalled && remainingQuantity !== null && uom !== null;
