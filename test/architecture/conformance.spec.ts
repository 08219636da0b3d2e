import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { conformanceReport } from '../conformance/report.js';
import { hasData, runSuites } from '../conformance/suites.js';

describe('conformance', () => {
  (hasData() ? it : it.skip)('is as its committed result says', async () => {
    const committed = readFileSync(new URL('../../../docs/reference/conformance.md', import.meta.url), 'utf8');
    expect(conformanceReport(await runSuites())).toBe(committed);
  });

  it('names why a check fails', () => {
    const report = conformanceReport([{ name: 's|t', source: 'x', tried: 2, failures: [{ name: 'one', why: 'it is not so' }] }]);
    expect(report).toContain('| s\\|t | x | 2 | 1 | 1 |');
    expect(report).toContain('- s|t, one: it is not so');
  });
});
