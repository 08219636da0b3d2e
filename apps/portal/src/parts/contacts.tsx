import type { ComponentChildren } from 'preact';
import { type OrganisationView, listAll } from '#client';
import { shortHash } from '../state/format';
import { useLoad } from '../state/load';
import { api } from '../state/session';
import { t } from '../state/language';

export type Contacts = ReadonlyMap<string, OrganisationView>;

/** The organisations of the tenant by their wallets: how a holder is reached. */
export function useContacts(): Contacts | null {
  return useLoad('contacts', async () => {
    const byWallet = new Map<string, OrganisationView>();
    for await (const organisation of listAll<OrganisationView>(api(), '/api/v1/organisations?limit=100'))
      for (const { address } of organisation.wallets) byWallet.set(address, organisation);
    return byWallet;
  }).data;
}

/** What the company of a wallet is called; the address, shortened, where none is known. */
export const nameIn = (contacts: Contacts | null, address: string): string => contacts?.get(address)?.name ?? shortHash(address);

/** Anything else could add recipients or words to the mail. */
const ADDRESS = /^[^\s?&@]+@[^\s?&@]+$/;
const text = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);

/** Phone and e-mail of the company, else what else it says of itself; an honest dash where it says nothing. */
export function contactOf(contacts: Contacts | null, address: string): ComponentChildren {
  const organisation = contacts?.get(address);
  if (!organisation) return '–';
  const { publicProfile, name, gln } = organisation;
  const [phone, email, contact] = [publicProfile['phone'], publicProfile['email'], publicProfile['contact']].map(text);
  const ways = [
    contact && <span key="contact">{contact}</span>,
    phone && (
      <a key="phone" href={`tel:${phone.replaceAll(/[^+\d]/g, '')}`}>
        {phone}
      </a>
    ),
    email &&
      (ADDRESS.test(email) ? (
        <a key="email" href={`mailto:${encodeURIComponent(email)}`}>
          {email}
        </a>
      ) : (
        <span key="email">{email}</span>
      )),
  ].filter((way) => way !== null);
  if (ways.length === 0) return `${name}${gln ? `, GLN ${gln}` : ''}; ${t('no phone or e-mail is known')}`;
  return <span class="ways">{ways}</span>;
}

/** The e-mail addresses of holders, without repetition. */
export const mailsOf = (contacts: Contacts | null, addresses: readonly string[]): readonly string[] => [
  ...new Set(addresses.map((address) => text(contacts?.get(address)?.publicProfile['email'])).filter((mail) => mail !== null)),
];
