import { Select } from '../../parts/inputs';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';

/** Whom somebody acts for. */
export function OrganisationField({
  value,
  label = 'Organisation',
  none = 'None',
  onChange,
}: {
  readonly value: string;
  readonly label?: string;
  readonly none?: string;
  readonly onChange: (value: string) => void;
}) {
  const { data } = useLoad('organisations', () => api().call('GET /api/v1/organisations', { query: { limit: 100 } }));
  const known = (data?.data ?? []).map(({ id, name }) => [id, name] as const);
  // What is chosen is shown also where the list is not there yet, or does not reach.
  const all = value !== '' && !known.some(([id]) => id === value) ? [...known, [value, value] as const] : known;
  return <Select label={label} none={none} value={value} of={all} onChange={onChange} />;
}
