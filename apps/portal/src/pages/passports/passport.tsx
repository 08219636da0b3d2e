import { useState } from 'preact/hooks';
import { Action, Form } from '../../parts/action';
import { Facts, Link, LotLink, Section, Show, Status } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { showTime } from '../../state/format';
import { LANGUAGES, t } from '../../state/language';
import { useLoad } from '../../state/load';
import { administersAll } from '../../state/rights';
import { api, me } from '../../state/session';
import { Grants } from './grants';
import { Label } from './label';
import type { Passport } from './passports';
import { Versions } from './versions';

const READS_GRANTS = new Set(['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN']);

/** One passport: what the public reads of it, its label, and who may read more. */
export default function PassportPage({ id }: { readonly id: string }) {
  const passport = useLoad(id, () => api().call('GET /api/v1/passports/{passportId}', { path: { passportId: id } }));
  return (
    <>
      <p>
        <Link to="/passports">{t('All passports')}</Link>
      </p>
      <Show what={passport}>
        {(one) => (
          <>
            <h1>{one.tlc}</h1>
            <About of={one} />
            {one.withdrawnAt === null && <Label of={one} />}
            {administersAll.value &&
              (one.withdrawnAt === null ? <Withdraw of={one} after={passport.again} /> : <Reinstate of={one} after={passport.again} />)}
            {me.value!.roles.some((role) => READS_GRANTS.has(role)) && <Grants passportId={id} />}
            <Versions key={one.version} passportId={id} />
          </>
        )}
      </Show>
    </>
  );
}

function About({ of }: { readonly of: Passport }) {
  const [language, setLanguage] = useState('');
  const [made, setMade] = useState<string | null>(null);
  const page = `/p/${of.id}${language && `?lang=${language}`}`;
  const share = async (): Promise<void> => {
    const { url } = await api().call('POST /api/v1/passports/{passportId}/bundle-link', { path: { passportId: of.id }, body: {} });
    setMade(url);
  };
  return (
    <Section title={t('Passport')} aside={<Status of={of.withdrawnAt ? 'withdrawn' : 'public'} />}>
      <Facts
        of={[
          [t('Lot'), <LotLink id={of.tokenId}>{of.tlc}</LotLink>],
          [t('GTIN'), of.gtin],
          [t('Version'), of.version],
          [t('Issued'), showTime(of.issuedAt)],
          [t('Last change'), showTime(of.lastUpdated)],
          [t('Digital Link'), of.digitalLink && <code>{of.digitalLink}</code>],
          ...(of.withdrawnAt ? ([[t('Withdrawn'), showTime(of.withdrawnAt)]] as const) : []),
        ]}
      />
      <div class="row">
        <div class="grow">
          <Select
            label={t('Language of the page')}
            none={t('That of the reader’s browser')}
            of={Object.entries(LANGUAGES)}
            value={language}
            onChange={setLanguage}
          />
        </div>
        <a class="button" href={page} target="_blank" rel="noopener">
          {t('Open the public page')}
        </a>
      </div>
      {administersAll.value && of.withdrawnAt === null && (
        <>
          <Action
            label={t('Make a link to the whole evidence')}
            sure={t('Everybody with the link reads the records behind this lot for seven days.')}
            run={share}
          />
          {made && (
            <p class="notice" role="status">
              <code>{made}</code>
            </p>
          )}
        </>
      )}
    </Section>
  );
}

function Withdraw({ of: { id, tlc }, after }: { readonly of: Passport; readonly after: () => void }) {
  const [reason, setReason] = useState('');
  const [sure, setSure] = useState(false);
  const withdraw = async (): Promise<void> => {
    if (!sure) return setSure(true);
    await api().call('POST /api/v1/passports/{passportId}/withdraw', { path: { passportId: id }, body: { reason } });
    after();
  };
  return (
    <Section title={t('Withdraw')}>
      <Form
        label={sure ? t('Yes, withdraw the passport of {tlc}', { tlc }) : t('Withdraw the passport')}
        send={withdraw}
        disabled={reason.trim() === ''}
      >
        <Text
          label={t('Reason')}
          hint={t('For the audit log; never public.')}
          required
          maxLength={1000}
          value={reason}
          onChange={setReason}
        />
        {sure && (
          <p class="notice" role="status">
            {t('Codes on the goods lead to a page that says “withdrawn”. You can show the passport again later.')}
          </p>
        )}
      </Form>
    </Section>
  );
}

function Reinstate({ of: { id, withdrawnReason }, after }: { readonly of: Passport; readonly after: () => void }) {
  return (
    <Section title={t('Withdrawn')}>
      <p>{t('Its public page says “withdrawn”. Reason: {reason}', { reason: withdrawnReason ?? '–' })}</p>
      <Action
        label={t('Show the passport again')}
        main
        run={() =>
          api()
            .call('POST /api/v1/passports/{passportId}/reinstate', { path: { passportId: id } })
            .then(after)
        }
      />
    </Section>
  );
}
