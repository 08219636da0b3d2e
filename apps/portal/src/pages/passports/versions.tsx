import type { Operations } from '#client';
import { Section, Show, Table } from '../../parts/basics';
import { More } from '../../parts/more';
import { shortHash, showTime } from '../../state/format';
import { t } from '../../state/language';
import { useList } from '../../state/list';

type Version = Operations['GET /api/v1/passports/{passportId}/versions']['answer']['data'][number];

/** What the public read, and since when. */
export function Versions({ passportId }: { readonly passportId: string }) {
  const versions = useList<Version>(`/api/v1/passports/${passportId}/versions?limit=20`);
  return (
    <Section title={t('Versions')}>
      <Show what={versions}>
        {({ data }) => (
          <Table
            caption={t('Versions')}
            rows={data}
            keyOf={({ version }) => version}
            columns={[
              { name: t('Version'), number: true, show: ({ version }) => version },
              { name: t('Since'), show: ({ from }) => showTime(from) },
              { name: t('Hash'), show: ({ hash }) => <code title={hash}>{shortHash(hash)}</code> },
              {
                name: t('Transaction'),
                show: ({ change }) => (change?.txHash ? <code title={change.txHash}>{shortHash(change.txHash)}</code> : '–'),
              },
            ]}
          />
        )}
      </Show>
      <More of={versions} />
    </Section>
  );
}
