import type { ProcessMapView } from '#client';
import { Show } from '../../parts/basics';
import { type Choice, Checks, Text } from '../../parts/inputs';
import { words } from '../../state/format';
import { useAll } from '../../state/list';
import { gives, givesEveryProcess } from '../../state/rights';
import { phrase, t, translated } from '../../state/language';

export type Role = 'OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN';
/** Process keys or globs by role. A role that is absent covers every process; an empty list covers none. */
export type Scopes = Readonly<Record<string, readonly string[]>>;
export interface Rights {
  readonly roles: readonly Role[];
  readonly roleScopes: Scopes;
}

export const OPERATOR: Rights = { roles: ['OPERATOR'], roleScopes: {} };

const ROLES: readonly (readonly [Role, string, string])[] = [
  ['OPERATOR', phrase('Operator'), phrase('Records events and transfers lots.')],
  [
    'ADMIN',
    phrase('Administrator of an organisation'),
    phrase('An operator who can also read the reports of their organisation and edit its data.'),
  ],
  ['AUDITOR', phrase('Auditor'), phrase('Reads everything, including the audit log.')],
  ['COMPLIANCE', phrase('Compliance'), phrase('Reads everything, puts lots on hold, runs recall drills, acknowledges alerts.')],
  [
    'TENANT_ADMIN',
    phrase('Administrator of the tenant'),
    phrase('All of the above, and manages members, API keys, webhooks, process maps and recalls.'),
  ],
];
export const nameOf = (role: string): string => translated(ROLES.find(([one]) => one === role)?.[1] ?? words(role));

/** What they may do, and in which processes. */
export const sayRights = ({
  roles,
  roleScopes,
}: {
  readonly roles: readonly string[];
  readonly roleScopes: Readonly<Record<string, unknown>>;
}) =>
  roles
    .map((role) => {
      const scope = roleScopes[role] as readonly string[] | undefined;
      if (!scope) return nameOf(role);
      return `${nameOf(role)} (${scope.length === 0 ? t('of no process') : scope.join(', ')})`;
    })
    .join('; ') || 'nothing';

const processesOf = (maps: readonly ProcessMapView[]): readonly Choice[] =>
  maps.flatMap((map) => map.processes.map(({ processType, label }) => [processType, label] as const));

export function RightsFields({ value, onChange }: { readonly value: Rights; readonly onChange: (value: Rights) => void }) {
  const maps = useAll<ProcessMapView>('/api/v1/process-maps?limit=100');
  const choose = (chosen: readonly string[]): void => {
    const roleScopes = Object.fromEntries(Object.entries(value.roleScopes).filter(([role]) => chosen.includes(role)));
    onChange({ roles: chosen as readonly Role[], roleScopes });
  };
  return (
    <>
      <Checks label={t('Roles')} of={ROLES} chosen={value.roles} onChange={choose} />
      <Show what={maps}>
        {(all) => (
          <>
            {value.roles.map((role) => (
              <ScopeField
                key={role}
                role={role}
                known={processesOf(all).filter(([key]) => gives(role, key))}
                scope={value.roleScopes[role] ?? (givesEveryProcess(role) ? null : [])}
                onChange={(scope) => {
                  const { [role]: _, ...others } = value.roleScopes;
                  onChange({ ...value, roleScopes: scope === null ? others : { ...others, [role]: scope } });
                }}
              />
            ))}
          </>
        )}
      </Show>
    </>
  );
}

function ScopeField({
  role,
  known,
  scope,
  onChange,
}: {
  readonly role: Role;
  readonly known: readonly Choice[];
  readonly scope: readonly string[] | null;
  readonly onChange: (scope: readonly string[] | null) => void;
}) {
  const keys = new Set(known.map(([key]) => key));
  const patterns = (scope ?? []).filter((one) => !keys.has(one));
  return (
    <fieldset class="checks">
      <legend>{t('Processes as {role}', { role: nameOf(role) })}</legend>
      {givesEveryProcess(role) && (
        <label>
          <input type="radio" name={`scope-${role}`} checked={scope === null} onChange={() => onChange(null)} />{' '}
          <span>{t('Every process')}</span>
        </label>
      )}
      <label>
        <input type="radio" name={`scope-${role}`} checked={scope !== null} onChange={() => onChange([])} /> <span>{t('Only these')}</span>
      </label>
      {scope !== null && (
        <>
          <div class="columns">
            {known.map(([key, name]) => (
              <label key={key}>
                <input
                  type="checkbox"
                  checked={scope.includes(key)}
                  onChange={({ currentTarget }) => onChange(currentTarget.checked ? [...scope, key] : scope.filter((one) => one !== key))}
                />
                <span title={key}>{name}</span>
              </label>
            ))}
          </div>
          <Text
            label={t('Patterns')}
            hint={t('With one *, for example wool_*; separated by commas.')}
            value={patterns.join(', ')}
            onChange={(text) =>
              onChange([
                ...scope.filter((one) => keys.has(one)),
                ...text
                  .split(/[\s,]+/)
                  .filter((one, index, all) => one !== '' || index === all.length - 1)
                  .filter((one) => !keys.has(one)),
              ])
            }
          />
        </>
      )}
    </fieldset>
  );
}

/** As the service takes them: without what a comma at the end left, and with no process for a role of which the person gives not every one. */
export const granted = ({ roles, roleScopes }: Rights): { readonly roles: readonly Role[]; readonly roleScopes: Scopes } => ({
  roles,
  roleScopes: Object.fromEntries(
    roles.flatMap((role) => {
      const scope = roleScopes[role] ?? (givesEveryProcess(role) ? undefined : []);
      return scope ? [[role, scope.filter((one) => one !== '')]] : [];
    }),
  ),
});
