import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { words } from '../state/format';
import { type Phrase, phrase, speaking, t } from '../state/language';
import { onLinkClick, path } from '../state/router';
import { administersAll } from '../state/rights';
import { enterTenant, me, readsReports, signOut } from '../state/session';
import { unread, useUnread } from '../state/notices';
import { type Theme, nextTheme, theme } from '../state/theme';
import { Link } from './basics';
import { LanguageChoice } from './language-choice';
import { Problem } from './problem';
import { WaitingNotice } from './waiting-notice';

const PAGES: readonly (readonly [to: string, name: Phrase])[] = [
  ['/', phrase('Home')],
  ['/lots', phrase('Lots')],
  ['/record', phrase('Record')],
  ['/offers', phrase('Transfers')],
  ['/recalls', phrase('Recalls')],
  ['/passports', phrase('Passports')],
  ['/exchange', phrase('Import and export')],
  ['/transactions', phrase('Transactions')],
  ['/notices', phrase('Notices')],
  ['/account', phrase('Account')],
];

/** Pages that are reached from another one. */
const BELONGS: Readonly<Record<string, string>> = { passkeys: '/account', captures: '/exchange' };

const REPORTS = ['/reports', phrase('Reports')] as const;

/** Who reads them: the service refuses the others, so that they are not led there. */
const ADMINISTRATION: readonly (readonly [to: string, name: Phrase])[] = [
  ['/admin/webhooks', phrase('Webhooks')],
  ['/admin/members', phrase('Members')],
  ['/admin/organisations', phrase('Organisations')],
  ['/admin/api-keys', phrase('API keys')],
  ['/admin/process-maps', phrase('Process maps')],
  ['/admin/event-log', phrase('Event log')],
  ['/admin/audit', phrase('Audit log')],
  ['/admin/sponsorship', phrase('Sponsorship')],
  ['/admin/usage', phrase('Usage')],
];
const SET_UP = ['/onboarding', phrase('Set up')] as const;
const PLATFORM = ['/platform', phrase('Tenants')] as const;
const FOR_ALL = new Set(['/admin/organisations', '/admin/process-maps', '/admin/usage']);
const FOR_AUDITORS = new Set(['/admin/audit', '/admin/event-log']);
/** Not for an administrator of some processes. */
const OF_WHOLE_TENANT = new Set(['/admin/webhooks', '/admin/sponsorship']);

function administrationOf(roles: readonly string[]): typeof ADMINISTRATION {
  if (roles.includes('TENANT_ADMIN')) return ADMINISTRATION.filter(([to]) => administersAll.value || !OF_WHOLE_TENANT.has(to));
  const audits = roles.includes('AUDITOR') || roles.includes('COMPLIANCE');
  return ADMINISTRATION.filter(([to]) => FOR_ALL.has(to) || (audits && FOR_AUDITORS.has(to)));
}

const THEMES: Readonly<Record<Theme, Phrase>> = { system: phrase('system'), light: phrase('light'), dark: phrase('dark') };

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const at = path.value;
  useEffect(() => setOpen(false), [at]);
  const here = (to: string): boolean =>
    to === '/' ? at === '/' : at === to || at.startsWith(`${to}/`) || BELONGS[at.split('/', 2)[1] ?? ''] === to;
  const administration = administrationOf(me.value?.roles ?? []);
  const name = [...PAGES, REPORTS, ...ADMINISTRATION, SET_UP, PLATFORM].find(([to]) => here(to))?.[1];
  useEffect(() => {
    document.title = name ? `${t(name)} · ${t('Traceability')}` : t('Traceability');
  }, [name, speaking.value]);
  const place = ([to, label]: readonly [string, Phrase]) => (
    <Link key={to} to={to} aria-current={here(to) ? 'page' : undefined}>
      {t(label)}
    </Link>
  );
  return (
    <div class="shell" onClick={onLinkClick}>
      <a class="skip" href="#main">
        {t('Skip to content')}
      </a>
      <header class="top">
        <button type="button" class="menu" aria-expanded={open} aria-controls="navigation" onClick={() => setOpen(!open)}>
          {t('Menu')}
        </button>
        <Link to="/" class="brand">
          {t('Traceability')}
        </Link>
        <TenantChoice />
        <Bell />
        <button type="button" class="quiet" onClick={nextTheme} aria-label={t('Theme: {theme}. Change', { theme: t(THEMES[theme.value]) })}>
          {{ system: '◐', light: '☀', dark: '☾' }[theme.value]}
        </button>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          {t('Sign out')}
        </button>
      </header>
      <nav id="navigation" class={open ? 'open' : undefined} aria-label={t('Pages')}>
        {PAGES.map(place)}
        {readsReports.value && place(REPORTS)}
        {administration.length > 0 && <p class="group">{t('Administration')}</p>}
        {administration.map(place)}
        {administersAll.value && place(SET_UP)}
        {me.value?.isPlatformAdmin && place(PLATFORM)}
        <p class="who">
          {me.value?.username ?? me.value?.email}
          <br />
          {me.value?.roles.map(words).join(', ')}
        </p>
        <LanguageChoice />
      </nav>
      <main id="main" tabIndex={-1}>
        <WaitingNotice />
        {children}
      </main>
    </div>
  );
}

/** How many notices are not read. */
function Bell() {
  useUnread();
  const count = unread.value ?? 0;
  return (
    <Link to="/notices" class="bell">
      <span aria-hidden="true">
        {/* Drawn: not every device has a font with a bell. */}
        <svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2">
          <path d="M6 9a6 6 0 0 1 12 0c0 6 2 8 3 8H3c1 0 3-2 3-8M10 21h4" />
        </svg>
        {count > 0 && <b>{count > 99 ? '99+' : count}</b>}
      </span>
      <span class="hidden">{count === 0 ? t('Notices') : t('Notices, {count} unread', { count })}</span>
    </Link>
  );
}

function TenantChoice() {
  const [error, setError] = useState<unknown>(null);
  const { tid, memberships } = me.value!;
  if (memberships.length < 2) return <span class="tenant">{memberships.find(({ slug }) => slug === tid)?.name ?? tid}</span>;
  return (
    <>
      <select
        class="tenant"
        aria-label={t('Tenant')}
        value={tid ?? ''}
        onChange={({ currentTarget }) => void enterTenant(currentTarget.value).catch(setError)}
      >
        {memberships.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </select>
      <Problem of={error} />
    </>
  );
}
