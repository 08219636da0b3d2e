import { useState } from 'preact/hooks';
import { chooseLanguage } from '../state/choose-language';
import { LANGUAGES, type Language, speaking, t } from '../state/language';
import { Problem } from './problem';

/** The names of the languages are in their own language: one who reads no other finds it. */
export function LanguageChoice() {
  const [error, setError] = useState<unknown>(null);
  return (
    <label class="language">
      <span>{t('Language')}</span>
      <select
        value={speaking.value.language}
        onChange={({ currentTarget }) => void chooseLanguage(currentTarget.value as Language).then(() => setError(null), setError)}
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
