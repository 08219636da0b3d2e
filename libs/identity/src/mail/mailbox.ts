/**
 * The mailbox of an address, as far as an address shows it: any case, and without a subaddress (RFC 5233), because `ada+1@` and `ada+2@` reach
 * the same person.
 */
export function mailboxOf(address: string): string {
  const [, local, domain] = /^(.*)@([^@]*)$/.exec(address.trim().normalize('NFC').toLowerCase()) ?? [];
  if (local === undefined || domain === undefined) return address;
  return `${local.replace(/(?<=.)\+.*$/, '')}@${domain}`;
}
