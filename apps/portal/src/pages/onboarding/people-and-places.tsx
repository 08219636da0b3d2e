import { useState } from 'preact/hooks';
import { Form } from '../../parts/action';
import { Empty, Link } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { plural, t } from '../../state/language';
import { api, enterTenant, me } from '../../state/session';
import type { Progress } from './progress';

interface PartOf {
  readonly of: Progress;
  readonly after: () => void;
}

/** The administrator acts for it from now on. */
export function NameOrganisation({ of: { organisation }, after }: PartOf) {
  const [name, setName] = useState('');
  const [gln, setGln] = useState('');
  if (organisation)
    return (
      <p>
        <Link to={`/admin/organisations/${organisation.id}`}>{organisation.name}</Link>
      </p>
    );
  const create = async (): Promise<void> => {
    const { id } = await api().call('POST /api/v1/organisations', { body: { name: name.trim(), gln: gln.trim() || null } });
    await api().call('PATCH /api/v2/members/{id}', { path: { id: me.value!.sub }, body: { orgId: id } });
    await enterTenant(me.value!.tid!);
    after();
  };
  return (
    <Form label={t('Save the name')} send={create}>
      <Text
        label={t('Name of your company')}
        hint={t('As your customers know it.')}
        required
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <Text label={t('GLN (optional)')} hint={t('13 digits, from GS1')} pattern="\d{13}" value={gln} onChange={setGln} />
    </Form>
  );
}

export function Invite({ of: { members }, after, skip }: PartOf & { readonly skip: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('OPERATOR');
  const [invited, setInvited] = useState('');
  const invite = async (): Promise<void> => {
    const orgId = me.value!.orgId;
    await api().call('POST /api/v2/members', { body: { email: email.trim(), roles: [role as 'OPERATOR'], ...(orgId && { orgId }) } });
    setInvited(email.trim());
    setEmail('');
    after();
  };
  return (
    <div class="stack">
      {members > 1 && <p>{plural(members, '{count} member', '{count} members')}</p>}
      {invited !== '' && (
        <p class="notice" role="status">
          {t('An invitation is on its way to {email}.', { email: invited })}
        </p>
      )}
      <Form label={t('Send the invitation')} send={invite}>
        <Text label={t('E-mail')} type="email" required value={email} onChange={setEmail} />
        <Select
          label={t('What they do')}
          of={[
            ['OPERATOR', t('Records events')],
            ['ADMIN', t('Records events and manages the organisation')],
            ['COMPLIANCE', t('Reviews, holds and corrects')],
            ['AUDITOR', t('Reads everything, changes nothing')],
            ['TENANT_ADMIN', t('Administers the tenant')],
          ]}
          value={role}
          onChange={setRole}
        />
      </Form>
      {members <= 1 && (
        <button type="button" onClick={skip}>
          {t('Skip for now')}
        </button>
      )}
    </div>
  );
}

export function FirstSite({ of: { organisation }, after }: PartOf) {
  const [name, setName] = useState('');
  const [gln, setGln] = useState('');
  const [country, setCountry] = useState('');
  if (!organisation) return <Empty>{t('Name your organisation first: a place belongs to it.')}</Empty>;
  const add = async (): Promise<void> => {
    const location = country.trim() === '' ? null : { country: country.trim().toUpperCase() };
    const body = { name: name.trim(), gln: gln.trim() || null, location };
    await api().call('POST /api/v1/organisations/{id}/sites', { path: { id: organisation.id }, body });
    setName('');
    after();
  };
  return (
    <div class="stack">
      {organisation.sites.length > 0 && <p>{organisation.sites.map((site) => site.name).join(', ')}</p>}
      <Form label={t('Add the place')} send={add}>
        <Text
          label={t('Name of the place')}
          hint={t('A farm, a warehouse, a plant.')}
          required
          maxLength={200}
          value={name}
          onChange={setName}
        />
        <Text
          label={t('Country (optional)')}
          hint={t('Two letters, as in VN')}
          pattern="[A-Za-z]{2}"
          maxLength={2}
          value={country}
          onChange={setCountry}
        />
        <Text label={t('GLN (optional)')} hint={t('13 digits, from GS1')} pattern="\d{13}" value={gln} onChange={setGln} />
      </Form>
    </div>
  );
}
