import type { OwnLotName } from '#kernel';

/** The path of a Digital Link, with the lot number of an item where the address has it, and the slug of the tenant where it names one. */
export interface LinkAddress {
  readonly link: string;
  readonly lot: string | null;
  readonly tenant: string | null;
}

/** What leads the public to a passport: a Digital Link, its own id, or the name that exports give to a code of the tenant's own. */
export type PassportAddress = LinkAddress | { readonly id: string } | OwnLotName;
