import 'reflect-metadata';
import { program } from '../../apps/cli/src/program.js';
import { fail } from '../../apps/runtime/src/index.js';

/** The process of command-line.ts: what apps/cli/src/main.ts does, command after command. */
export interface Command {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit code ${code}`);
  }
}

async function execute({ args, env }: Command): Promise<Outcome> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = 0;
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    process[stream].write = (text: string | Uint8Array): boolean => {
      said[stream] += typeof text === 'string' ? text : Buffer.from(text).toString();
      return true;
    };
  const code = await program
    .parseAsync(args, { from: 'user' })
    .catch((error: unknown) => (error instanceof Exit ? Promise.reject(error) : fail(error)))
    .then(
      () => Number(process.exitCode),
      (exit: Exit) => exit.code,
    );
  return { code, ...said };
}

process.exit = (code) => {
  throw new Exit(Number(code));
};
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (command: Command) => void execute(command).then((outcome) => process.send!(outcome)));
