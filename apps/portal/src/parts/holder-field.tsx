import type { OrganisationPageView } from '#client';
import { useLoad } from '../state/load';
import { api, me } from '../state/session';
import { Field } from './basics';

const MANY = 100;

/** Whose wallet: an address, with the wallets of the tenant's organisations to choose from. */
export function HolderField({
  label,
  hint,
  value,
  error,
  onChange,
}: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (address: string) => void;
}) {
  const organisations = useLoad('organisations', () => api().get<OrganisationPageView>(`/api/v1/organisations?limit=${MANY}`));
  const known = (organisations.data?.data ?? []).flatMap(({ name, wallets }) => wallets.map(({ address }) => ({ name, address })));
  const others = known.filter(({ address }) => address !== me.value?.wallet);
  const name = known.find(({ address }) => address === value)?.name;
  const id = `holders-${label.toLowerCase().replaceAll(/\W+/g, '-')}`;
  return (
    <Field label={label} hint={name ?? hint} error={error}>
      <input
        value={value}
        list={id}
        spellcheck={false}
        autocomplete="off"
        placeholder="0x…"
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      <datalist id={id}>
        {others.map(({ name: of, address }) => (
          <option key={address} value={address}>
            {of}
          </option>
        ))}
      </datalist>
    </Field>
  );
}
