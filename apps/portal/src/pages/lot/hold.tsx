import { useState } from 'preact/hooks';
import type { LotView } from '#client';
import { Action, Form } from '../../parts/action';
import { Text } from '../../parts/inputs';
import { api, me } from '../../state/session';
import { t } from '../../state/language';

const mayHold = (): boolean => me.value!.roles.some((role) => role === 'COMPLIANCE' || role === 'TENANT_ADMIN');
const isGone = ({ status }: LotView): boolean => status === 'retired' || status === 'consumed';

/** Stops a lot for quality, and lets it go again. */
export function Hold({ lot, again }: { readonly lot: LotView; readonly again: () => void }) {
  const [reason, setReason] = useState('');
  const path = { tokenId: lot.tokenId };
  if (lot.onHold)
    return (
      <div class="stack">
        <p class="notice">{t('This lot is on hold: it cannot be used or moved until it is released. It can be retired.')}</p>
        {mayHold() && (
          <Action
            label={t('Release from hold')}
            sure={t('All its holds end. It can be used and moved again.')}
            run={async () => {
              await api().call('POST /api/v1/nfts/{tokenId}/release', { path });
              again();
            }}
          />
        )}
      </div>
    );
  if (!mayHold() || isGone(lot)) return null;
  return (
    <details>
      <summary>{t('Put on hold')}</summary>
      <Form
        label={t('Put on hold')}
        disabled={reason.trim() === ''}
        sure={t('Lot {lot} cannot be used or moved by anybody until it is released.', { lot: lot.tlc })}
        send={async () => {
          await api().call('POST /api/v1/nfts/{tokenId}/hold', { path, body: { reason } });
          setReason('');
          again();
        }}
      >
        <Text
          label={t('Why')}
          hint={t('Until you release the lot it cannot be used or moved. Nothing goes on chain.')}
          value={reason}
          maxLength={2000}
          onChange={setReason}
        />
      </Form>
    </details>
  );
}
