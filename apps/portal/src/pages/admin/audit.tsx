import type { AuditView } from '#client';
import { Empty, Section, Show, Table } from '../../parts/basics';
import { Select, SlowText, Text } from '../../parts/inputs';
import { Pages } from '../../parts/pages';
import { shortHash, showTime } from '../../state/format';
import { useLoad } from '../../state/load';
import { dayStart, useFilters } from '../../state/filters';
import { api, isAdmin, me } from '../../state/session';
import { differences } from './differences';
import { phrase, plural, t, translated } from '../../state/language';

const ROWS = 50;
/** What the service writes down; a check of the compiler holds it against the document. */
const ACTIONS = [
  'login.succeeded',
  'login.failed',
  'logout',
  'tenant.selected',
  'session.revoked',
  'password.changed',
  'password.link_requested',
  'invitation.accepted',
  'member.added',
  'member.changed',
  'member.removed',
  'member.grants_prepared',
  'member.wallet_replacement_prepared',
  'organisation.created',
  'organisation.changed',
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'webhook.created',
  'webhook.changed',
  'webhook.secret_rotated',
  'webhook.resumed',
  'webhook.deleted',
  'epcis_event.deleted',
  'process_map.published',
  'rules.changed',
  'passports.changed',
  'link.created',
  'link.changed',
  'link.deleted',
  'passport.evidence_shared',
  'passport.withdrawn',
  'passport.reinstated',
  'tenant.created',
  'tenant.suspended',
  'tenant.resumed',
  'tenant.tier_changed',
] as const satisfies readonly AuditView['action'][];
const sayAction = (action: string): string =>
  action
    .replaceAll(/[._]/g, ' ')
    .replace('api key', 'API key')
    .replace(/^./, (first) => first.toUpperCase());

export default function AuditPage() {
  const { value, set, address } = useFilters(['action', 'subject', 'actorId', 'from', 'to', 'page']);
  const page = Number(value.page || 1);
  const query = {
    page,
    limit: ROWS,
    ...(value.action && { action: value.action as AuditView['action'] }),
    ...(value.subject && { subject: value.subject }),
    ...(value.actorId && { actorId: value.actorId }),
    ...(value.from && { from: dayStart(value.from) }),
    ...(value.to && { to: dayStart(value.to, 1) }),
  };
  const entries = useLoad(address, () => api().call('GET /api/v1/audit', { query }));
  const people = peopleIn(entries.data?.data ?? []);
  const names = useLoad(people.join(' '), () => namesOf(people));
  return (
    <>
      <h1>{t('Audit log')}</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <Select
          label={t('What')}
          none={t('Everything')}
          value={value.action}
          of={ACTIONS.map((one) => [one, sayAction(one)])}
          onChange={(action) => set({ action })}
        />
        <Text label={t('From')} type="date" value={value.from} onChange={(from) => set({ from })} />
        <Text label={t('To')} type="date" value={value.to} onChange={(to) => set({ to })} />
        <SlowText label={t('About (id)')} type="search" value={value.subject} onChange={(subject) => set({ subject: subject.trim() })} />
        <SlowText label={t('By (id)')} type="search" value={value.actorId} onChange={(actorId) => set({ actorId: actorId.trim() })} />
      </form>
      <Section title={t('Entries')}>
        <Show what={entries}>
          {({ data, total, totalIsLowerBound }) =>
            data.length === 0 ? (
              <Empty>{t('No entries match these filters. Remove one.')}</Empty>
            ) : (
              <>
                <p class="count">
                  {totalIsLowerBound ? t('more than {count} entries', { count: total }) : plural(total, '{count} entry', '{count} entries')}
                </p>
                <Table
                  caption={t('Entries, newest first')}
                  rows={data}
                  keyOf={({ id }) => id}
                  columns={[
                    { name: t('When'), show: ({ at }) => showTime(at) },
                    { name: t('Action'), show: ({ action }) => sayAction(action) },
                    { name: t('By'), show: (entry) => <Who of={entry} names={names.data ?? {}} /> },
                    {
                      name: t('About'),
                      show: ({ subject }) => <span title={subject ?? undefined}>{names.data?.[subject ?? ''] ?? shortHash(subject)}</span>,
                    },
                    { name: t('Details'), show: ({ details }) => <Details of={details} /> },
                  ]}
                />
                <Pages page={page} of={Math.ceil(total / ROWS)} onChange={(next) => set({ page: String(next) }, { keepPage: true })} />
              </>
            )
          }
        </Show>
      </Section>
    </>
  );
}

/** Whose names the page needs: who did it, and to whom it was done. */
const ABOUT_PEOPLE = /^(login|logout|tenant\.selected|session|password|invitation|member)/;
const peopleIn = (entries: readonly AuditView[]): readonly string[] => [
  ...new Set(
    entries.flatMap(({ action, actorKind, actorId, subject }) => [
      ...(actorKind === 'user' && actorId ? [actorId] : []),
      ...(ABOUT_PEOPLE.test(action) && subject ? [subject] : []),
    ]),
  ),
];

/** Who was asked for once is known. */
const keyOf = (id: string): string => `${me.value?.tid} ${id}`;
const known = new Map<string, Promise<string | null>>();

/** Their e-mail addresses; administrators alone may ask. Unknown people are shown by id. */
async function namesOf(people: readonly string[]): Promise<Readonly<Record<string, string>>> {
  if (!isAdmin.value) return {};
  const found = await Promise.all(
    people.map(async (id) => {
      const asked =
        known.get(keyOf(id)) ??
        api()
          .call('GET /api/v2/members/{id}', { path: { id } })
          .then(
            ({ email }) => email,
            () => null,
          );
      known.set(keyOf(id), asked);
      return [id, await asked] as const;
    }),
  );
  return Object.fromEntries(found.flatMap(([id, email]) => (email === null ? [] : [[id, email] as const])));
}

const KINDS: Readonly<Record<AuditView['actorKind'], string>> = {
  user: phrase('a user'),
  api_key: phrase('API key'),
  platform: phrase('the platform'),
  operator: phrase('the operator'),
  grant: phrase('a grant'),
};
function Who({ of, names }: { readonly of: AuditView; readonly names: Readonly<Record<string, string>> }) {
  const name = of.actorId
    ? (names[of.actorId] ?? `${translated(KINDS[of.actorKind])} ${shortHash(of.actorId)}`)
    : translated(KINDS[of.actorKind]);
  return <span title={of.actorId ?? undefined}>{name}</span>;
}

/** What changed, where it says before and after; else all that is known. */
function Details({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  const { before, after, ...rest } = of;
  const changes = differences(before, after).map(
    ({ pointer, before: old, after: next }) => [pointer.slice(1), `${say(old)} → ${say(next)}`] as const,
  );
  const facts = Object.entries(rest).flatMap(([key, value]) => (value === null ? [] : [[key, say(value)] as const]));
  return (
    <div class="details">
      {[...changes, ...facts].map(([key, text]) => (
        <div key={key}>
          <span class="hint">{key}</span> {text}
        </div>
      ))}
    </div>
  );
}

const say = (value: unknown): string =>
  value === undefined || value === null
    ? 'none'
    : typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.map(say).join(', ') || 'none'
        : JSON.stringify(value);
