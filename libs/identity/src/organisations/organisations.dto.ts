import { JsonObjectField, ObjectListField, PageQuery, PageView, StringField, taggedBy } from '#http';
import { type NewOrganisation, type NewSite, profileOf } from './organisation.js';
import type { OrganisationRecord } from './organisations.queries.js';

export class OrganisationQuery extends PageQuery {
  @StringField({ optional: true, minLength: 1, maxLength: 200, description: 'Part of the name, in any case' })
  search?: string;
}

export class OrganisationBody implements NewOrganisation {
  @StringField({ description: 'Name, unique in the tenant', minLength: 1, maxLength: 200 })
  name: string;

  @StringField({ description: '`did:web:…`', optional: true, nullable: true, maxLength: 300 })
  did?: string | null;

  @StringField({ description: 'ISO 17442, with its check digits', optional: true, nullable: true, maxLength: 20 })
  lei?: string | null;

  @StringField({ description: 'GS1 global location number, with its check digit', optional: true, nullable: true, maxLength: 13 })
  gln?: string | null;

  @JsonObjectField({ description: 'What passports may show', optional: true })
  publicProfile?: Readonly<Record<string, unknown>>;
}

export class OrganisationChange implements Partial<NewOrganisation> {
  @StringField({ description: 'Name', minLength: 1, maxLength: 200, optional: true })
  name?: string;

  @StringField({ description: '`did:web:…`; null for none', optional: true, nullable: true, maxLength: 300 })
  did?: string | null;

  @StringField({ description: 'ISO 17442; null for none', optional: true, nullable: true, maxLength: 20 })
  lei?: string | null;

  @StringField({ description: 'GS1 global location number; null for none', optional: true, nullable: true, maxLength: 13 })
  gln?: string | null;

  @JsonObjectField({ description: 'What passports may show; replaces the whole profile', optional: true })
  publicProfile?: Readonly<Record<string, unknown>>;
}

export class SiteBody implements NewSite {
  @StringField({ description: 'Name', minLength: 1, maxLength: 200 })
  name: string;

  @StringField({ description: 'GS1 global location number', optional: true, nullable: true, maxLength: 13 })
  gln?: string | null;

  @JsonObjectField({
    description: 'GeoJSON point or plot (longitude, latitude), or parts of an address with such a shape as `geo`',
    optional: true,
    nullable: true,
  })
  location?: Readonly<Record<string, unknown>> | null;
}

export class OrgWalletBody {
  @StringField({ description: 'EIP-55 address', maxLength: 42 })
  address: string;

  @StringField({ description: 'Site that the wallet belongs to', optional: true, nullable: true, maxLength: 36 })
  siteId?: string | null;

  @StringField({ description: 'Name in the address book', optional: true, nullable: true, maxLength: 200 })
  label?: string | null;
}

export class SiteView {
  @StringField({ description: 'Site id' })
  id: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringField({ description: 'GS1 global location number', nullable: true })
  gln: string | null;

  @JsonObjectField({ description: 'Location as given', nullable: true })
  location: Readonly<Record<string, unknown>> | null;
}

export class OrgWalletView {
  @StringField({ description: 'EIP-55 address' })
  address: string;

  @StringField({ description: 'Site', nullable: true })
  siteId: string | null;

  @StringField({ description: 'User', nullable: true })
  userId: string | null;

  @StringField({ description: 'Name in the address book', nullable: true })
  label: string | null;
}

export class OrganisationView {
  @StringField({ description: 'Organisation id' })
  id: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringField({ description: 'DID', nullable: true })
  did: string | null;

  @StringField({ description: 'LEI', nullable: true })
  lei: string | null;

  @StringField({ description: 'GLN', nullable: true })
  gln: string | null;

  @JsonObjectField({ description: 'What passports may show' })
  publicProfile: Readonly<Record<string, unknown>>;

  @ObjectListField(() => SiteView, { description: 'Sites' })
  sites: SiteView[];

  @ObjectListField(() => OrgWalletView, { description: 'Wallets' })
  wallets: OrgWalletView[];

  @StringField({ description: 'Created at', format: 'date-time' })
  createdAt: string;
}

export class OrganisationPageView extends PageView {
  @ObjectListField(() => OrganisationView, { description: 'Items of the page' })
  data: readonly OrganisationView[];
}

export const organisationView = ({ organisation, sites, wallets }: OrganisationRecord): OrganisationView =>
  taggedBy(viewOf({ organisation, sites, wallets }), profileOf(organisation));

const viewOf = ({ organisation, sites, wallets }: OrganisationRecord): OrganisationView => ({
  id: organisation.id,
  name: organisation.name,
  did: organisation.did,
  lei: organisation.lei,
  gln: organisation.gln,
  publicProfile: organisation.publicProfile,
  sites: sites.map(({ id, name, gln, location }) => ({ id, name, gln, location })),
  wallets: wallets.map(({ address, siteId, userId, label }) => ({ address, siteId, userId, label })),
  createdAt: organisation.createdAt.toISOString(),
});
