import { retentionRules } from '../../../runtime/src/index.js';
import { TABLE_ORIGINS } from './table-origins.js';

/** For how long rows of a table are kept, in words. */
export function keptOf(table: string): string {
  const rules = retentionRules.filter((rule) => rule.table === table && rule.settings.length > 0);
  const { kept } = TABLE_ORIGINS[table]!;
  return kept ?? [...new Set(rules.map(({ settings }) => settings.map((name) => `\`${name}\``).join(' and ')))].join(' or ');
}
