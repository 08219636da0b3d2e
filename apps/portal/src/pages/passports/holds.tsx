import { useState } from 'preact/hooks';
import type { LotView } from '#client';
import { Action, Form } from '../../parts/action';
import { Empty, Field, LotLink, Section, Show, Table } from '../../parts/basics';
import { Text } from '../../parts/inputs';
import { More } from '../../parts/more';
import { showQuantity } from '../../state/format';
import { t } from '../../state/language';
import { useList } from '../../state/list';
import { api, me } from '../../state/session';

const HOLDS = new Set(['COMPLIANCE', 'TENANT_ADMIN']);

/** Lots that may not be used or moved, and a way to release them. */
export default function HoldsPage() {
  const lots = useList<LotView>('/api/v1/nfts?limit=50&status=on_hold');
  const mayHold = me.value!.roles.some((role) => HOLDS.has(role));
  const release = (tokenId: number) => (): Promise<void> =>
    api().call('POST /api/v1/nfts/{tokenId}/release', { path: { tokenId } }).then(lots.again);
  return (
    <>
      <Section title={t('Lots on hold')}>
        <p class="hint">{t('A lot on hold can be retired, but not used or moved. A recalled lot is on its recall’s page.')}</p>
        <Show what={lots}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>{t('No lot is on hold.')}</Empty>
            ) : (
              <Table
                caption={t('Lots on hold')}
                rows={data}
                keyOf={({ tokenId }) => tokenId}
                columns={[
                  { name: t('Lot'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
                  { name: t('Product'), show: ({ assetTypeName, assetType }) => assetTypeName ?? assetType },
                  { name: t('Quantity'), number: true, show: ({ remainingQuantity, uom }) => showQuantity(remainingQuantity, uom) },
                  { name: t('Held by'), show: ({ custodianLabel }) => custodianLabel },
                  ...(mayHold
                    ? [
                        {
                          name: t('Change'),
                          show: ({ tokenId }: LotView) => (
                            <Action
                              label={t('Release')}
                              sure={t('All its holds end. It can be used and moved again.')}
                              run={release(tokenId)}
                            />
                          ),
                        },
                      ]
                    : []),
                ]}
              />
            )
          }
        </Show>
        <More of={lots} />
      </Section>
      {mayHold && <Hold after={lots.again} />}
    </>
  );
}

function Hold({ after }: { readonly after: () => void }) {
  const [tlc, setTlc] = useState('');
  const [reason, setReason] = useState('');
  const hold = async (): Promise<void> => {
    const { tokenId } = await api().lots.byTlc(tlc.trim());
    await api().call('POST /api/v1/nfts/{tokenId}/hold', { path: { tokenId }, body: { reason } });
    setTlc('');
    setReason('');
    after();
  };
  return (
    <Section title={t('Put a lot on hold')}>
      <Form
        label={t('Hold this lot')}
        send={hold}
        sure={t('Lot {lot} cannot be used or moved by anybody until it is released.', { lot: tlc.trim() })}
      >
        <Field label={t('Code of the lot')}>
          <input required maxLength={200} value={tlc} onInput={({ currentTarget }) => setTlc(currentTarget.value)} />
        </Field>
        <Text label={t('Reason')} required maxLength={1000} value={reason} onChange={setReason} />
      </Form>
    </Section>
  );
}
