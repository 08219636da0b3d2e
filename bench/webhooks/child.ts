import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A part of the measurement in a process of its own, which answers each message with one. */
export class Child<Answer> {
  private readonly ended: Promise<unknown>;

  private constructor(readonly child: ChildProcess) {
    this.ended = once(child, 'exit');
  }

  /** @returns the process and its first message */
  static async start<First, Answer = First>(program: string, settings?: object): Promise<{ child: Child<Answer>; said: First }> {
    const file = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
    const child = new Child<Answer>(fork(file, settings ? [JSON.stringify(settings)] : [], { execArgv: ['--expose-gc'] }));
    return { child, said: await answerOf<First>(child.child) };
  }

  ask(): Promise<Answer> {
    const answer = answerOf<Answer>(this.child);
    this.child.send('');
    return answer;
  }

  async end(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    await this.ended;
  }
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => {
      child.off('message', said);
      reject(new Error(`a process of the measurement ended with ${code}`));
    };
    const said = (what: unknown): void => {
      child.off('exit', ended);
      resolve(what as T);
    };
    child.once('message', said).once('exit', ended);
  });
}
