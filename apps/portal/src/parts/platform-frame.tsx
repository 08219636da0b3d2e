import type { ComponentChildren } from 'preact';
import { t } from '../state/language';
import { me, signOut } from '../state/session';
import { LanguageChoice } from './language-choice';

/** For who administers the platform and is a member of no tenant. */
export function PlatformFrame({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <header class="top">
        <span class="brand">{t('Traceability')}</span>
        <span class="tenant">{me.value?.email}</span>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          {t('Sign out')}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
        <LanguageChoice />
      </main>
    </>
  );
}
