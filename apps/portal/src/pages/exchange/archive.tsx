import { Action } from '../../parts/action';
import { Section } from '../../parts/basics';
import { t } from '../../state/language';
import { administersAll } from '../../state/rights';
import { me } from '../../state/session';

/** What the archive of the whole tenant has, and how to ask the operator for it: it has the keys of sealed values, so no page makes it. */
export default function ArchivePage() {
  const { tid, email, memberships } = me.value!;
  const name = memberships.find(({ slug }) => slug === tid)?.name ?? tid!;
  const letter = t('Please archive the tenant “{name}” ({slug}) with “tenant archive {slug}”, and hand the file over to {email}.', {
    ...{ name, slug: tid!, email },
  });
  return (
    <>
      <Section title={t('The whole tenant as one file')}>
        <p>{t('An archive moves the tenant to another service on the same chain. It has everything that the chain does not have.')}</p>
        <h3>{t('In the archive')}</h3>
        <ul>
          <li>{t('Contents of events, process maps and notices, with the keys that open them')}</li>
          <li>{t('Documents and photos')}</li>
          <li>{t('Organisations, sites, members with their roles and wallets, passkeys')}</li>
          <li>{t('Holds, drills and answers to recalls; passports with their addresses; alerts; the audit log')}</li>
        </ul>
        <h3>{t('Read from the chain again')}</h3>
        <p>{t('Lots, recorded events, transfers, recalls and rights on chain')}</p>
        <h3>{t('Not in it')}</h3>
        <p>{t('Passwords, API keys, webhooks, subscriptions and what was prepared and not sent: they are made again.')}</p>
      </Section>
      {administersAll.value && (
        <Section title={t('Ask for it')}>
          <ol>
            <li>
              {t('Ask the operator of this service. Only the operator makes it: it has keys and personal data.')}
              <p class="said">{letter}</p>
              <Action label={t('Copy the text')} run={() => navigator.clipboard.writeText(letter)} />
            </li>
            <li>{t('Agree on a passphrase of at least 16 characters, by another way than the file.')}</li>
            <li>{t('For a move the operator suspends the tenant first, so that nothing is added meanwhile.')}</li>
            <li>{t('Keep the file like a backup, and delete it when the other service runs.')}</li>
          </ol>
          <p>
            <a href="/guide/how-to/move-a-tenant" target="_blank" rel="noopener">
              {t('How a tenant moves (guide)')}
            </a>
          </p>
        </Section>
      )}
    </>
  );
}
