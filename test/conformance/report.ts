import type { SuiteResult } from './check.js';

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

/** The results as they are committed in docs/reference/conformance.md. */
export function conformanceReport(results: readonly SuiteResult[]): string {
  const rows = results.map(({ name, source, tried, failures }) => {
    const counts = tried === null ? 'not at hand | | ' : `${tried} | ${tried - failures.length} | ${failures.length}`;
    return `| ${cell(name)} | ${cell(source)} | ${counts} |`;
  });
  const failed = results.flatMap(({ name, failures }) => failures.map((one) => `- ${name}, ${one.name}: ${one.why}`));
  return [
    '# Conformance',
    '',
    'Made by `npm run conformance -- --write`; a test compares it. The data belong to others and are not part of this repository:',
    '`CONFORMANCE_DATA` names their folder (default `../shared/data`), and a suite without data is skipped.',
    '',
    '| suite | data | tried | passed | failed |',
    '|---|---|--:|--:|--:|',
    ...rows,
    '',
    ...(failed.length > 0 ? ['## Failed', '', ...failed, ''] : []),
  ].join('\n');
}
