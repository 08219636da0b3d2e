import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** Runs a program of its own, whose start is `start` with `say`, `stopping` and `signalled`, which has a Ctrl-C arrive. */
const run = (start: string) => {
  const program = new URL('./program.js', import.meta.url).href;
  const code = `import { runProgram } from ${JSON.stringify(program)};
    setInterval(() => undefined, 1_000); // as its open sockets would, it keeps the program alive
    const signalled = () => new Promise((resolve) => { process.once('SIGINT', () => setImmediate(resolve)); process.kill(process.pid, 'SIGINT'); });
    await runProgram(async (say, stopping) => { ${start} });`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  return { status, stdout, stderr };
};

describe('a program that gets a signal while it starts', () => {
  it('ends well when its start fails by the same signal, without a stack', () => {
    const { status, stderr } = run("await signalled(); throw new Error('Command failed: postgres --version');");
    expect({ status, stderr }).toEqual({ status: 0, stderr: '· Stopping …\n' });
  });

  it('closes what came up, and tells its start so that it begins nothing more', () => {
    const ended = run("await signalled(); console.log(stopping.aborted); return { close: async () => console.log('closed') };");
    expect(ended).toEqual({ status: 0, stdout: 'true\nclosed\n', stderr: '· Stopping …\n' });
  });

  it('does not hide that closing failed, nor a start that fails by itself', () => {
    expect(run("await signalled(); return { close: () => Promise.reject(new Error('still busy')) };")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/Error: still busy\n {4}at /),
    });
    expect(run("throw new Error('no disk');")).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Error: no disk\n {4}at /) });
  });
});
