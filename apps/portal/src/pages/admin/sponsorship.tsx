import { useState } from 'preact/hooks';
import type { SponsorshipView } from '#client';
import { Form } from '../../parts/action';
import { Empty, Facts, Section, Show } from '../../parts/basics';
import { Text } from '../../parts/inputs';
import { etherOf, showEther, showNumber, showTime, weiOf } from '../../state/format';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';
import { t } from '../../state/language';

/** What the sponsor of the service pays for members who sign with passkeys. */
export default function SponsorshipPage() {
  const [changes, setChanges] = useState(0);
  const sponsorship = useLoad(`sponsorship ${changes}`, () => api().call('GET /api/v1/sponsorship'));
  return (
    <>
      <h1>{t('Sponsorship')}</h1>
      <p class="hint">{t('Members who sign with a passkey need no coins: the service sends what they signed, and pays for it.')}</p>
      <Show what={sponsorship}>
        {(now) =>
          now.sponsor === null ? (
            <Empty>{t('This service has no sponsor. Its operator can set one up.')}</Empty>
          ) : (
            <>
              <Today now={now} />
              <Limits key={changes} now={now} after={() => setChanges(changes + 1)} />
            </>
          )
        }
      </Show>
    </>
  );
}

function Today({ now }: { readonly now: SponsorshipView }) {
  const { sponsor, spentWeiToday, leftWeiToday } = now;
  return (
    <Section title={t('Today')}>
      <Facts
        of={[
          [t('Spent since midnight UTC'), showEther(spentWeiToday)],
          [t('Left of today'), showEther(leftWeiToday)],
          [t('Balance of the sponsor'), `${showEther(sponsor!.balanceWei)}, ${showTime(sponsor!.seenAt)}`],
          [t('Address of the sponsor'), <code>{sponsor!.address}</code>],
        ]}
      />
      {BigInt(leftWeiToday) === 0n && (
        <p class="notice">{t('Nothing more is paid today. Members can prepare, and sign again tomorrow; or raise the limit.')}</p>
      )}
    </Section>
  );
}

function Limits({ now, after }: { readonly now: SponsorshipView; readonly after: () => void }) {
  const [limit, setLimit] = useState(now.limitWeiPerDay === null ? '' : etherOf(now.limitWeiPerDay));
  const [relays, setRelays] = useState(String(now.relaysPerHour));
  const save = async (): Promise<void> => {
    const limitWeiPerDay = limit.trim() === '' ? null : weiOf(limit);
    await api().request('PATCH', '/api/v1/sponsorship', { limitWeiPerDay, relaysPerHour: relays.trim() === '' ? null : Number(relays) });
    after();
  };
  return (
    <Section title={t('Limits')}>
      <Form label={t('Save')} send={save}>
        <Text
          label={t('Ether a day')}
          hint={t('At most {amount}, which the platform allows. Leave it empty for all of it.', {
            amount: showEther(now.ceilingWeiPerDay),
          })}
          value={limit}
          onChange={setLimit}
        />
        <Text
          label={t('Calls of one member in an hour')}
          hint={t('Now {count}. Leave it empty for the setting of the platform.', { count: showNumber(now.relaysPerHour) })}
          type="number"
          min={0}
          max={100_000}
          value={relays}
          onChange={setRelays}
        />
      </Form>
    </Section>
  );
}
