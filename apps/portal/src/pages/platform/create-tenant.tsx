import { useState } from 'preact/hooks';
import type { PreparedTx } from '#client';
import { Form } from '../../parts/action';
import { Section } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { Secret } from '../../parts/secret';
import { t, tx } from '../../state/language';
import { api } from '../../state/session';
import { useAbout } from '../../state/wallet';

const EMPTY = { name: '', slug: '', environment: 'production', email: '', person: '', wallet: '' };

/** A tenant with its first administrator, who gets a mail. */
export function CreateTenant({
  onCreated,
}: {
  readonly onCreated: (created: { readonly tenant: string; readonly preparedTx: PreparedTx }) => void;
}) {
  const about = useAbout();
  const [draft, setDraft] = useState(EMPTY);
  const [invited, setInvited] = useState<{ readonly email: string; readonly link: string } | null>(null);
  const set = (change: Partial<typeof EMPTY>): void => setDraft({ ...draft, ...change });
  const create = async (): Promise<void> => {
    const { name, slug, environment, email, person, wallet } = draft;
    const admin = { email: email.trim(), wallet: wallet.trim(), ...(person.trim() && { name: person.trim() }) };
    const body = { slug: slug.trim(), name: name.trim(), environment: environment as 'production', admin };
    const { preparedTx, admin: first } = await api().call('POST /api/v2/tenants', { body });
    // A user who has a password already needs no link.
    const token = first.invitation?.token;
    setInvited(token === undefined ? null : { email: admin.email, link: `${location.origin}/portal/invitation#${token}` });
    setDraft(EMPTY);
    onCreated({ tenant: body.slug, preparedTx });
    scrollTo(0, 0);
  };
  return (
    <Section title={t('Create a tenant')}>
      {invited && (
        <Secret
          title={t('Link for {email}: hand it over, it signs in as the first administrator.', { email: invited.email })}
          value={invited.link}
          onDone={() => setInvited(null)}
        />
      )}
      <Form label={t('Create the tenant')} send={create}>
        <div class="pair">
          <Text label={t('Name')} required maxLength={200} value={draft.name} onChange={(name) => set({ name })} />
          <Text
            label={t('Short name')}
            hint={t('In addresses; it never changes. Small letters, digits and -.')}
            required
            maxLength={63}
            pattern="[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?"
            value={draft.slug}
            onChange={(slug) => set({ slug })}
          />
          <Select
            label={t('Environment')}
            of={[
              ['production', t('Production')],
              ['sandbox', t('Sandbox: for tests')],
            ]}
            value={draft.environment}
            onChange={(environment) => set({ environment })}
          />
          {draft.environment === 'sandbox' && about.data?.demoWallet && <WithTestData slug={draft.slug} />}
          <Text
            label={t('E-mail of the first administrator')}
            type="email"
            required
            value={draft.email}
            onChange={(email) => set({ email })}
          />
          <Text
            label={t('Name of the first administrator (optional)')}
            maxLength={200}
            value={draft.person}
            onChange={(person) => set({ person })}
          />
          <Text
            label={t('Wallet of the first administrator')}
            hint={t('It administers the contract of the tenant.')}
            placeholder="0x…"
            required
            value={draft.wallet}
            onChange={(wallet) => set({ wallet })}
          />
        </div>
      </Form>
    </Section>
  );
}

/** On a local chain a command signs for the people of a scenario; this page signs for nobody else. */
const WithTestData = ({ slug }: { readonly slug: string }) => (
  <p class="notice">
    {tx('With test data, or in the place of a sandbox that is full of trials, the operator creates it instead: {command}', {
      command: <code>{`npm run -s cli -- sandbox ${slug.trim() || 'trial'} --scenario rice --instead-of …`}</code>,
    })}
  </p>
);
