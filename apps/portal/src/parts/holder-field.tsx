import { me } from '../state/session';
import { Field } from './basics';
import { useOrganisations } from './organisation-field';
import { t } from '../state/language';

const ADDRESS = /^0x/i;

/** What the holder of this address is called; null where it is none of the organisations that a list shows. */
export function useHolderName(address: string): string | null {
  const { data } = useOrganisations('');
  return data?.data.find(({ wallets }) => wallets.some((wallet) => wallet.address === address))?.name ?? null;
}

/** Whose wallet: an address, or a part of a name that finds the wallets of the tenant's organisations to choose from. */
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
  // Searched by name only: an address is not a name.
  const organisations = useOrganisations(ADDRESS.test(value) ? '' : value);
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
        placeholder={t('0x… or a name')}
        onInput={({ currentTarget }) => onChange(currentTarget.value.trimStart())}
        onBlur={({ currentTarget }) => onChange(currentTarget.value.trim())}
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
