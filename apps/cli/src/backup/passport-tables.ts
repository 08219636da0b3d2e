import { type TableOrigin, dump } from './table-origin.js';

/** The tables of passports. */
export const PASSPORT_TABLES: Readonly<Record<string, TableOrigin>> = {
  'passports.access_grant': dump(
    'who outside of the tenant may read more of a passport, and the hashes of their tokens',
    'grants, at most 1,000 of a passport',
    'without limit: who could read what, and why',
  ),
  'passports.registration': dump(
    'entries for the registry, and its answers',
    'versions of passports',
    'without limit: what was registered when',
  ),
  'passports.registry_setting': dump('where and with which seal a tenant registers', 'tenants', 'one row a tenant'),
  'passports.link': dump("links of a tenant's own behind Digital Links", 'links, `LINKS_PER_TENANT` at most', 'until deleted'),
  'passports.passport': dump(
    'the addresses that are printed on goods: random, so nothing else has them',
    'lots with a passport',
    'without limit: it is printed on goods',
  ),
  'passports.version': dump('what the public read of passports at each time', 'changes of passports', 'without limit'),
  'passports.setting': dump('whether and how a tenant shows passports', 'nothing', 'one row a tenant'),
};
