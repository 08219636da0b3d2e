import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A command of a page, with its output as the page shows it. */
interface PageCommand {
  readonly command: string;
  /** Lines; `…` marks a part that differs each time. */
  readonly answers: readonly string[];
}

/** The `sh` blocks of a Markdown page in their order, each with the `text` block right after it. Starting the service is left out. */
export function commandsOf(markdown: string): readonly PageCommand[] {
  const blocks = [...markdown.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text: text! }));
  return blocks.flatMap(({ kind, text }, i) => {
    if (kind !== 'sh' || text.startsWith('npm start')) return [];
    const next = blocks[i + 1];
    return [{ command: text, answers: next?.kind === 'text' ? next.text.trimEnd().split('\n') : [] }];
  });
}

export interface Outcome extends PageCommand {
  readonly said: string;
  /** Lines of the page that the command did not print. */
  readonly missing: readonly string[];
}

/**
 * Runs the commands one after the other in one shell, as a user types them.
 * @param replaced addresses, ports and files of the page, each with its value in this test
 * @throws when a command fails, with the output of the shell
 */
export async function play(
  commands: readonly PageCommand[],
  replaced: Readonly<Record<string, string>>,
  cwd: string,
): Promise<readonly Outcome[]> {
  const here = (text: string): string => Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const script = commands.map(({ command }, i) => `${here(command)}\necho '${MARK}${i}'\n`).join('');
  // A group of its own, so that what it started in the background ends with it.
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const { code, said, faults } = await listenTo(shell);
    const parts = said.split(new RegExp(`^${MARK}\\d+\\n`, 'm'));
    if (code !== 0)
      throw new Error(`command ${parts.length} failed (${code}):\n${commands[parts.length - 1]?.command}\n${parts.at(-1)}${faults}`);
    return commands.map((item, i) => ({
      ...item,
      said: parts[i]!,
      missing: item.answers.filter((line) => !patternOf(line).test(parts[i]!)),
    }));
  } finally {
    endGroup(shell);
  }
}

const MARK = '-- end of command ';

const patternOf = (line: string): RegExp => new RegExp(`^${line.split('…').map(escaped).join('.*')}$`, 'm');
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

async function listenTo(shell: ChildProcess): Promise<{ code: number | null; said: string; faults: string }> {
  let [said, faults] = ['', ''];
  shell.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  shell.stderr!.on('data', (chunk: Buffer) => (faults += chunk.toString()));
  // Not `close`: a program that it left behind may hold the streams open.
  const [code] = (await once(shell, 'exit')) as [number | null];
  await new Promise((resolve) => setImmediate(resolve));
  return { code, said, faults };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
