import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A command of a page, with what the page says that it answers. */
interface Step {
  readonly command: string;
  /** Lines; `…` is what differs each time. */
  readonly answers: readonly string[];
}

/** The `sh` blocks of a Markdown page in their order, each with the `text` block right after it. Starting the service is left out. */
export function stepsOf(markdown: string): readonly Step[] {
  const blocks = [...markdown.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text: text! }));
  return blocks.flatMap(({ kind, text }, i) => {
    if (kind !== 'sh' || text.startsWith('npm start')) return [];
    const next = blocks[i + 1];
    return [{ command: text, answers: next?.kind === 'text' ? next.text.trimEnd().split('\n') : [] }];
  });
}

export interface Outcome extends Step {
  readonly said: string;
  /** Lines of the page that the command did not say. */
  readonly missing: readonly string[];
}

/**
 * Runs the steps one after the other in one shell, as somebody types them.
 * @param replaced what stands on the page, by what it is here: addresses, ports, files
 * @throws with what the shell said where a step fails, and what never came where one does not end
 */
export async function play(steps: readonly Step[], replaced: Readonly<Record<string, string>>, cwd: string): Promise<readonly Outcome[]> {
  const here = (text: string): string => Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const script = steps.map(({ command }, i) => `${here(command)}\necho '${MARK}${i}'\n`).join('');
  // A group of its own, so that what it started in the background ends with it.
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const { code, said, faults } = await listenTo(shell);
    const parts = said.split(new RegExp(`^${MARK}\\d+\\n`, 'm'));
    if (code !== 0)
      throw new Error(`step ${parts.length} failed (${code}):\n${steps[parts.length - 1]?.command}\n${parts.at(-1)}${faults}`);
    return steps.map((step, i) => ({ ...step, said: parts[i]!, missing: step.answers.filter((line) => !patternOf(line).test(parts[i]!)) }));
  } finally {
    endGroup(shell);
  }
}

const MARK = '-- done with step ';

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
