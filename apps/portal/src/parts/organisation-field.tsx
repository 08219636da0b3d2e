import { useRef, useState } from 'preact/hooks';
import { type OrganisationPageView, addressOf } from '#client';
import { type Loaded, useLoad, useSettled } from '../state/load';
import { api } from '../state/session';
import { Select, Text } from './inputs';
import { t } from '../state/language';

const ROWS = 100;

/** The organisations whose name has what is sought in it; the first hundred of them. */
export function useOrganisations(sought: string): Loaded<OrganisationPageView> {
  const search = useSettled(sought.trim());
  const query = { limit: ROWS, ...(search !== '' && { search }) };
  return useLoad(`organisations ${search}`, () => api().get(addressOf('GET /api/v1/organisations', { query }).path));
}

/** Whom somebody acts for. Where there are many, a part of the name finds them. */
export function OrganisationField({
  value,
  label = t('Organisation'),
  none = t('None'),
  onChange,
}: {
  readonly value: string;
  readonly label?: string;
  readonly none?: string;
  readonly onChange: (value: string) => void;
}) {
  const [sought, setSought] = useState('');
  const { data } = useOrganisations(sought);
  const known = (data?.data ?? []).map(({ id, name }) => [id, name] as const);
  const seen = useRef(new Map<string, string>());
  for (const [id, name] of known) seen.current.set(id, name);
  const listed = value === '' || seen.current.has(value);
  // What is chosen is shown by its name also where the list does not reach.
  const chosen = useLoad(`chosen ${listed ? '' : value}`, async () =>
    listed ? null : api().call('GET /api/v1/organisations/{id}', { path: { id: value } }),
  );
  const all =
    value === '' || known.some(([id]) => id === value)
      ? known
      : [...known, [value, seen.current.get(value) ?? chosen.data?.name ?? '…'] as const];
  const cut = data !== null && data.total > known.length;
  return (
    <div class="finder">
      {(cut || sought !== '') && <Text label={t('Find: {what}', { what: label })} type="search" value={sought} onChange={setSought} />}
      <Select
        label={label}
        none={none}
        value={value}
        of={all}
        hint={cut ? t('{shown} of {total}. Type a part of the name above.', { shown: known.length, total: data.total }) : undefined}
        onChange={onChange}
      />
    </div>
  );
}
