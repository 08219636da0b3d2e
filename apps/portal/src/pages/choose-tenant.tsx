import { useState } from 'preact/hooks';
import { Problem } from '../parts/problem';
import { enterTenant, me, signOut } from '../state/session';
import { t } from '../state/language';

export function ChooseTenantPage() {
  const [error, setError] = useState<unknown>(null);
  const { memberships } = me.value!;
  return (
    <main class="gate" id="main">
      <h1>{t('Choose a tenant')}</h1>
      {memberships.length === 0 && <p>{t('You are not a member of any tenant. Ask an administrator to add you.')}</p>}
      <ul class="choices">
        {memberships.map(({ slug, name }) => (
          <li key={slug}>
            <button type="button" onClick={() => void enterTenant(slug).catch(setError)}>
              {name} <small>{slug}</small>
            </button>
          </li>
        ))}
      </ul>
      <Problem of={error} />
      <button type="button" class="quiet" onClick={() => void signOut()}>
        {t('Sign out')}
      </button>
    </main>
  );
}
