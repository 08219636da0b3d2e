// npm run audit: known vulnerabilities of the packages that the service runs on. High and critical ones fail. A registry that does not
// answer (a mirror, no network) is reported and fails nothing.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERIOUS = ['high', 'critical'];
const PATIENCE_MS = 60_000;

/** @returns {{ state: 'clean' | 'weak' | 'unanswered', lines: string[] }} what npm found, in lines for people */
export function audit(root, command = ['npm', 'audit', '--omit=dev', '--json']) {
  const run = spawnSync(command[0], command.slice(1), { cwd: root, encoding: 'utf8', timeout: PATIENCE_MS });
  const report = parsed(run.stdout);
  if (!report?.vulnerabilities || !report.metadata)
    return { state: 'unanswered', lines: [`not audited: the registry does not answer it (${reasonOf(report, run)})`] };
  const found = Object.values(report.vulnerabilities);
  const lines = found.map(
    ({ name, severity, range, fixAvailable }) => `${severity}: ${name} ${range}${fixAvailable ? ', a fix is there' : ''}`,
  );
  const weak = found.some(({ severity }) => SERIOUS.includes(severity));
  return { state: weak ? 'weak' : 'clean', lines: lines.length > 0 ? lines : ['no known weakness'] };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const reasonOf = (report, run) =>
  String(report?.message ?? report?.error?.summary ?? run.error?.code ?? `npm ended with ${run.status}`).split('\n', 1)[0];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { state, lines } = audit(join(dirname(fileURLToPath(import.meta.url)), '..'));
  for (const line of lines) process.stdout.write(`${line}\n`);
  process.exit(state === 'weak' ? 1 : 0);
}
