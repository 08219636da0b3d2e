import { useState } from 'preact/hooks';
import { chooseLanguage } from '../state/choose-language';
import { LANGUAGES, type Language, speaking, t } from '../state/language';
import { api, me } from '../state/session';
import { Problem } from './problem';

/** Mails come in it too, once somebody has signed in. */
async function choose(language: Language): Promise<void> {
  await chooseLanguage(language);
  if (me.value) await api().call('PUT /api/v2/auth/language', { body: { language } });
}

/** The names of the languages are in their own language: one who reads no other finds it. */
export function LanguageChoice() {
  const [error, setError] = useState<unknown>(null);
  return (
    <label class="language">
      <span>{t('Language')}</span>
      <select
        value={speaking.value.language}
        onChange={({ currentTarget }) => void choose(currentTarget.value as Language).then(() => setError(null), setError)}
      >
        {Object.entries(LANGUAGES).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
      <Problem of={error} />
    </label>
  );
}
