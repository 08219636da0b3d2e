import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command, Outcome } from './command-process.js';

let child: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the command line in a process apart from the service's, which is started once for all spec files of a worker: to load
 * the service takes longer than most commands. What a process of its own does on top of it, test/engines/start-sentences.spec.ts shows.
 * @param env the whole environment of the command
 */
export function runCommand(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> {
  const outcome = last.then(() => ask({ args, env }));
  last = outcome.catch(() => undefined);
  return outcome;
}

/** What a command prints. @throws Error with what it says instead, as `stderr` too */
export async function outputOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, env);
  if (code !== 0) throw Object.assign(new Error(`exit code ${code}: ${stderr}`), { stderr });
  return stdout;
}

function ask(command: Command): Promise<Outcome> {
  const running = (child ??= start());
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`the process of the command ${command.args.join(' ')} ended`));
    running.once('exit', ended);
    running.once('message', (outcome: Outcome) => {
      running.off('exit', ended);
      resolve(outcome);
    });
    running.send(command);
  });
}

/** It ends with the process that started it. */
function start(): ChildProcess {
  const program = fileURLToPath(new URL('./command-process.js', import.meta.url));
  const started = spawn(process.execPath, ['--no-warnings', program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  started.once('exit', () => (child = null));
  started.unref();
  started.channel!.unref();
  return started;
}
