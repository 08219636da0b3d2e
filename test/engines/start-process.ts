import { writeSync } from 'node:fs';

/** The process of start-sentences.spec.ts: start after start of a program that cannot start, as if each had a process of its own. */
export interface Start {
  /** The program's main module. */
  readonly main: string;
  /** The whole environment of the start. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends what the start wrote, in both streams; the exit code follows it, or `null` when the program runs. */
  readonly end: string;
}

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit code ${code}`);
  }
}

let starts = 0;

async function start({ main, env, end }: Start): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  // The query makes it another module; everything that it imports is loaded once.
  const code = await import(`${main}?${++starts}`).then(
    () => null,
    (error: unknown) => (error instanceof Exit ? error.code : Promise.reject(error as Error)),
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  // Not by the message channel, which would overtake the streams.
  for (const stream of [1, 2]) writeSync(stream, `${end}${code}\n`);
}

process.exit = (code) => {
  throw new Exit(Number(code));
};
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message: Start) => void start(message));
