/** Passports of several tenants at one Digital Link, the first issued first. */
export interface PassportChoices {
  readonly link: string;
  readonly choices: readonly { readonly tenantName: string; readonly path: string }[];
}
