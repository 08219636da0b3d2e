import { useState } from 'preact/hooks';
import type { RecallView } from '#client';
import { Section } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { Sign } from '../../parts/sign';
import type { Prepared } from '../../state/signing';
import { api } from '../../state/session';
import { t, tx } from '../../state/language';

/** Takes a recall back: of all its lots, or of one. */
export function Lift({ recall, again }: { readonly recall: RecallView; readonly again: () => void }) {
  const [reason, setReason] = useState('');
  const open = recall.lots.filter(({ liftedAt }) => liftedAt === null);
  const named = ({ tokenId, tlc }: (typeof open)[number]): string => t('lot {id}', { id: tlc ?? String(tokenId) });
  const [lot, setLot] = useState('all');
  const what =
    lot === 'all'
      ? open.length === 1
        ? named(open[0]!)
        : t('all {count} lots', { count: open.length })
      : named(open.find(({ tokenId }) => String(tokenId) === lot) ?? open[0]!);
  return (
    <Section title={t('Lift the recall')}>
      <div class="stack">
        {open.length > 1 && (
          <Select
            label={t('Which lots')}
            of={[
              ['all', t('All {count} lots of this recall', { count: open.length })],
              ...open.map((one) => [String(one.tokenId), named(one)] as const),
            ]}
            value={lot}
            onChange={setLot}
          />
        )}
        <Text label={t('Why it is lifted')} value={reason} maxLength={2000} onChange={setReason} />
        <Sign
          final
          label={t('Lift the recall')}
          type="recall-lift"
          name={`lift ${recall.id}`}
          disabled={reason.trim() === ''}
          says={
            <p>
              {tx(
                'You lift the recall of {what} (“{reason}”). Holders can use and move these goods again; passports stop to warn of them. The recall and its lifting stay in the record.',
                { what: <strong>{what}</strong>, reason: recall.reason ?? t('The reason is not known yet.') },
              )}
            </p>
          }
          prepare={() =>
            api().post<Prepared>(`/api/v1/nfts/${lot === 'all' ? open[0]!.tokenId : lot}/recall/lift/prepare`, {
              reason,
              scope: lot === 'all' ? 'recall' : 'lot',
            })
          }
          onLanded={again}
        />
      </div>
    </Section>
  );
}
