import { useEffect, useState } from 'preact/hooks';
import { me } from '../state/session';
import { Field } from './basics';
import { useOrganisations } from './organisation-field';
import { isWalletAddress, walletsNamed } from './wallets.js';
import { t } from '../state/language';

const ADDRESS = /^0x/i;

/** What the holder of this address is called; null where it is none of the organisations that a list shows. */
export function useHolderName(address: string): string | null {
  const { data } = useOrganisations('');
  return data?.data.find(({ wallets }) => wallets.some((wallet) => wallet.address === address))?.name ?? null;
}

interface Holder {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (address: string) => void;
}

/** Whose wallet: an address, or a name of the tenant's organisations, of which a part finds them. A whole name becomes its address. */
export function HolderField({ label, hint, value, error, onChange }: Holder) {
  // Searched by name only: an address is not a name.
  const organisations = useOrganisations(ADDRESS.test(value) ? '' : value);
  const known = (organisations.data?.data ?? []).flatMap(({ name, wallets }) => wallets.map(({ address }) => ({ name, address })));
  const others = known.filter(({ address }) => address !== me.value?.wallet);
  const [typing, setTyping] = useState(false);
  const named = walletsNamed(others, value);
  // While somebody types, a name may be the beginning of another one.
  const only = named.length === 1 && (!typing || others.length === 1) ? named[0] : undefined;
  useEffect(() => {
    if (only) onChange(only);
  }, [only]);
  const name = known.find(({ address }) => address === value)?.name;
  const unknown = value !== '' && !isWalletAddress(value) && !typing && !only && !organisations.busy;
  const id = `holders-${label.toLowerCase().replaceAll(/\W+/g, '-')}`;
  return (
    <Field label={label} hint={name ?? hint} error={unknown ? missing(named) : error}>
      <input
        value={value}
        list={id}
        spellcheck={false}
        autocomplete="off"
        placeholder={t('0x… or a name')}
        onFocus={() => setTyping(true)}
        onInput={({ currentTarget }) => onChange(currentTarget.value.trimStart())}
        onBlur={({ currentTarget }) => {
          setTyping(false);
          onChange(currentTarget.value.trim());
        }}
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

const missing = (named: readonly string[]): string =>
  named.length > 1 ? t('More than one wallet has this name. Choose one from the list.') : t('Choose a company from the list.');
