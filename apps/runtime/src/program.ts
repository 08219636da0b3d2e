import { InvalidConfiguration } from '#config';
import { NodeNotUsable } from '#chain';
import { DataFolderInUse, DataFolderUnusable, LoginTooPowerful, MigrationRefused, RolesMissing } from '#persistence';
import { RefusalToStart } from './refusal-to-start.js';

/** Faults whose message is written for the operator; anything else is a bug or an outage and is shown whole. */
const SENTENCES = [
  RefusalToStart,
  InvalidConfiguration,
  NodeNotUsable,
  DataFolderInUse,
  DataFolderUnusable,
  LoginTooPowerful,
  MigrationRefused,
  RolesMissing,
];

type Say = (line: string) => void;

/**
 * Runs a long-lived role: one sentence when it cannot start, a clean stop on the first signal, an immediate one on the second.
 * @param start is told by `stopping` whether a signal came meanwhile: then nobody waits for what it has to say any more
 */
export async function runProgram(start: (say: Say, stopping: () => boolean) => Promise<{ close(): Promise<void> }>): Promise<void> {
  const say: Say = (line) => void process.stderr.write(`· ${line}\n`);
  let stopping = false;
  let running: { close(): Promise<void> } | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(130);
    stopping = true;
    say(`${signal === 'SIGINT' ? 'Stopping' : `Stopping (${signal})`} …`);
    // While it still starts, the start notices and closes what came up.
    if (running) void running.close().then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  try {
    running = await start(say, () => stopping);
  } catch (error) {
    // A Ctrl-C reaches whatever the start waits for as well, and that fails by it: it is no news to who asked for the end.
    if (stopping) process.exit(0);
    fail(error);
  }
  if (stopping) await running.close().then(() => process.exit(0), fail);
}

export function fail(error: unknown): never {
  const known = SENTENCES.some((type) => error instanceof type);
  process.stderr.write(`${known ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
