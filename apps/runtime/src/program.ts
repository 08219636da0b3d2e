import { InvalidConfiguration, misspeltSettings } from '#config';
import { NodeNotUsable } from '#chain';
import { DatabaseUnusable, DataFolderInUse, DataFolderUnusable, LoginTooPowerful, MigrationRefused, RolesMissing } from '#persistence';
import { isSystemError, OperatorError } from './operator-error.js';

/** Faults whose message is written for the operator. Any other fault is a bug or an outage and is shown with its stack. */
const SENTENCES = [
  OperatorError,
  InvalidConfiguration,
  NodeNotUsable,
  DatabaseUnusable,
  DataFolderInUse,
  DataFolderUnusable,
  LoginTooPowerful,
  MigrationRefused,
  RolesMissing,
];

type Say = (line: string) => void;

/**
 * Runs a long-lived role: one message when it cannot start, a clean stop on the first signal, an immediate one on the second.
 * @param start sees by `stopping` that a signal arrived: what it is doing is no longer needed, and it may throw
 */
export async function runProgram(start: (say: Say, stopping: AbortSignal) => Promise<{ close(): Promise<void> }>): Promise<void> {
  const say: Say = (line) => void process.stderr.write(`· ${line}\n`);
  const stopping = new AbortController();
  let running: { close(): Promise<void> } | null = null;
  for (const line of misspeltSettings(process.env)) say(line);
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
    say(`${signal === 'SIGINT' ? 'Stopping' : `Stopping (${signal})`} …`);
    // During the start, the start itself notices the signal and closes what it opened.
    if (running) void running.close().then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  try {
    running = await start(say, stopping.signal);
  } catch (error) {
    // Ctrl-C also reaches the processes that the start waits for, and they fail because of it. The user expects that.
    if (stopping.signal.aborted) process.exit(0);
    fail(error);
  }
  if (stopping.signal.aborted) await running.close().then(() => process.exit(0), fail);
}

/** Null for a fault that is a bug. The system's own words are for developers, so those of a full disk are replaced. */
function sentenceOf(error: unknown): string | null {
  if (SENTENCES.some((type) => error instanceof type)) return (error as Error).message;
  if (isSystemError(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))
    return `There is no space left on the disk${error.path === undefined ? '' : ` of ${error.path}`}. Free some, or choose another folder with DATA_DIR.`;
  return null;
}

export function fail(error: unknown): never {
  process.stderr.write(`${sentenceOf(error) ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exit(1);
}
