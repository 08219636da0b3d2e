import type { ComponentChildren } from 'preact';
import { plural, t } from '../state/language';
import { online, useLine } from '../state/line';
import { go, onLinkClick, path } from '../state/router';
import { endWithoutSession, me } from '../state/session';
import { waiting } from '../waiting/waiting';

/** Without a line and a session there is one page: the one that records. What waits is not shown: the device may be in other hands. */
export function WithoutSessionFrame({ children }: { readonly children: ComponentChildren }) {
  useLine(true);
  const count = waiting().length;
  return (
    <div class="shell alone" onClick={onLinkClick}>
      <header class="top">
        <span class="brand">{t('Traceability')}</span>
        <span class="tenant">{me.value!.tid}</span>
        <button type="button" class="quiet" onClick={endWithoutSession}>
          {t('Sign in')}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <div class="offline" role="status">
          <span>
            {online.value
              ? t('The service answers again: sign in, and what waits is sent.')
              : t('You record for {name}, without a line. It is sent when {name} has signed in.', { name: me.value!.username })}
          </span>
        </div>
        {path.value === '/waiting' ? (
          <>
            <h1>{t('Kept on this device')}</h1>
            <p>{plural(count, '{count} record waits to be sent.', '{count} records wait to be sent.')}</p>
            <button type="button" class="main" onClick={() => go('/record')}>
              {t('Record another')}
            </button>
          </>
        ) : (
          children
        )}
      </main>
    </div>
  );
}
