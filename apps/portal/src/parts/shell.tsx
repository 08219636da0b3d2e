import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { onLinkClick, path } from '../state/router';
import { administersAll } from '../state/rights';
import { enterTenant, me, readsReports, signOut } from '../state/session';
import { unread, useUnread } from '../state/notices';
import { nextTheme, theme } from '../state/theme';
import { Link } from './basics';
import { Problem } from './problem';

const PAGES: readonly (readonly [to: string, name: string])[] = [
  ['/', 'Home'],
  ['/lots', 'Lots'],
  ['/record', 'Record'],
  ['/offers', 'Transfers'],
  ['/recalls', 'Recalls'],
  ['/captures', 'Captured documents'],
  ['/transactions', 'Transactions'],
  ['/notices', 'Notices'],
  ['/passkeys', 'Passkeys'],
];

const REPORTS = ['/reports', 'Reports'] as const;

/** Who reads them: the service refuses the others, so that they are not led there. */
const ADMINISTRATION: readonly (readonly [to: string, name: string])[] = [
  ['/admin/webhooks', 'Webhooks'],
  ['/admin/members', 'Members'],
  ['/admin/organisations', 'Organisations'],
  ['/admin/api-keys', 'API keys'],
  ['/admin/process-maps', 'Process maps'],
  ['/admin/audit', 'Audit log'],
  ['/admin/sponsorship', 'Sponsorship'],
  ['/admin/usage', 'Usage'],
];
const FOR_ALL = new Set(['/admin/organisations', '/admin/process-maps', '/admin/usage']);
const FOR_AUDITORS = new Set(['/admin/audit']);
/** Not for an administrator of some processes. */
const OF_WHOLE_TENANT = new Set(['/admin/webhooks', '/admin/sponsorship']);

function administrationOf(roles: readonly string[]): typeof ADMINISTRATION {
  if (roles.includes('TENANT_ADMIN')) return ADMINISTRATION.filter(([to]) => administersAll.value || !OF_WHOLE_TENANT.has(to));
  const audits = roles.includes('AUDITOR') || roles.includes('COMPLIANCE');
  return ADMINISTRATION.filter(([to]) => FOR_ALL.has(to) || (audits && FOR_AUDITORS.has(to)));
}

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const at = path.value;
  useEffect(() => setOpen(false), [at]);
  const here = (to: string): boolean => (to === '/' ? at === '/' : at === to || at.startsWith(`${to}/`));
  const administration = administrationOf(me.value?.roles ?? []);
  const name = [...PAGES, REPORTS, ...ADMINISTRATION].find(([to]) => here(to))?.[1];
  useEffect(() => {
    document.title = name ? `${name} · Traceability` : 'Traceability';
  }, [name]);
  const place = ([to, label]: readonly [string, string]) => (
    <Link key={to} to={to} aria-current={here(to) ? 'page' : undefined}>
      {label}
    </Link>
  );
  return (
    <div class="shell" onClick={onLinkClick}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <button type="button" class="menu" aria-expanded={open} aria-controls="navigation" onClick={() => setOpen(!open)}>
          Menu
        </button>
        <Link to="/" class="brand">
          Traceability
        </Link>
        <TenantChoice />
        <Bell />
        <button type="button" class="quiet" onClick={nextTheme} aria-label={`Theme: ${theme.value}. Change`}>
          {{ system: '◐', light: '☀', dark: '☾' }[theme.value]}
        </button>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </header>
      <nav id="navigation" class={open ? 'open' : undefined} aria-label="Pages">
        {PAGES.map(place)}
        {readsReports.value && place(REPORTS)}
        {administration.length > 0 && <p class="group">Administration</p>}
        {administration.map(place)}
        <p class="who">
          {me.value?.username ?? me.value?.email}
          <br />
          {me.value?.roles.join(', ')}
        </p>
      </nav>
      <main id="main" tabIndex={-1}>
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
      <span aria-hidden="true">🔔{count > 0 && <b>{count > 99 ? '99+' : count}</b>}</span>
      <span class="hidden">{count === 0 ? 'Notices' : `Notices, ${count} unread`}</span>
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
        aria-label="Tenant"
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
