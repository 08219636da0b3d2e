import type { UsedView } from '#client';
import { Action } from '../../parts/action';
import { Facts, Section, Show } from '../../parts/basics';
import { showMonth, showNumber } from '../../state/format';
import { useLoad } from '../../state/load';
import { api, me } from '../../state/session';
import { locale, t } from '../../state/language';
import { administersAll } from '../../state/rights';

/** Sizes as people read them, in the units of the locale. */
const bytes = (value: number): string => {
  const power = value < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(value) / 3));
  const unit = ['byte', 'kilobyte', 'megabyte', 'gigabyte'][power]!;
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, maximumFractionDigits: 1 }).format(value / 1000 ** power);
};

export default function UsagePage() {
  const usage = useLoad('usage', () => api().call('GET /api/v1/usage'));
  return (
    <>
      <h1>{t('Usage')}</h1>
      <Show what={usage}>
        {({ tier, month, requests, events, storedBytes, apiKeys, subscriptions }) => (
          <>
            <Section title={t('Limits')}>
              <Facts
                of={[
                  [t('Tier'), tier],
                  [t('Month'), showMonth(month)],
                  [t('Requests'), t('{count} a minute for each user and key', { count: showNumber(requests.perMinute) })],
                ]}
              />
            </Section>
            <Section title={t('Usage')}>
              <table class="bars">
                <caption class="hidden">{t('Usage and limits')}</caption>
                <tbody>
                  <Used name={t('Events this month')} of={events} say={showNumber} />
                  <Used name={t('Stored content')} of={storedBytes} say={bytes} />
                  <Used name={t('API keys')} of={apiKeys} say={showNumber} />
                  <Used name={t('Webhooks')} of={subscriptions} say={showNumber} />
                </tbody>
              </table>
              <p class="hint">{t('Requests above a limit are refused with the code quota_exceeded. Recorded data is never lost.')}</p>
            </Section>
          </>
        )}
      </Show>
      {administersAll.value && <Practice />}
    </>
  );
}

/** A sandbox is a tenant of its own, which the operator opens. */
function Practice() {
  const { tid, email, memberships } = me.value!;
  const name = memberships.find(({ slug }) => slug === tid)?.name ?? tid!;
  const letter = t(
    'Please open a sandbox for us to practise in, as the tenant “{slug}-sandbox” with the process maps of “{name}” and {email} as its administrator.',
    {
      ...{ name, slug: tid!, email },
    },
  );
  return (
    <Section title={t('To practise')}>
      <p>{t('What is recorded here stays. To practise, ask the operator for a sandbox: a tenant of its own.')}</p>
      <p class="said">{letter}</p>
      <Action label={t('Copy the text')} run={() => navigator.clipboard.writeText(letter)} />
    </Section>
  );
}

function Used({ name, of, say }: { readonly name: string; readonly of: UsedView; readonly say: (value: number) => string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect class="room" width="100" height="10" rx="1" />
          <rect width={Math.min(100, (of.used / Math.max(of.limit, 1)) * 100)} height="10" rx="1" />
        </svg>
      </td>
      <td class="number">{t('{used} of {limit}', { used: say(of.used), limit: say(of.limit) })}</td>
    </tr>
  );
}
