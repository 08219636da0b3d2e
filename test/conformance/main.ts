import { writeFileSync } from 'node:fs';
import { conformanceReport } from './report.js';
import { runSuites } from './suites.js';

const results = await runSuites();
const report = conformanceReport(results);
process.stdout.write(report);
if (process.argv.includes('--write')) writeFileSync(new URL('../../../docs/reference/conformance.md', import.meta.url), report);
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;
