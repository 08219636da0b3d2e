import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';

/** The rules the figures are measured under; the newest that compile.mjs compiles for. */
export const hardfork = 'osaka';

/** An empty local chain of its own, which mines each transaction at once. */
export interface LocalChain {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws if the platform has no anvil, or anvil ends before it listens */
export async function startAnvil(rules = hardfork): Promise<LocalChain> {
  const child = spawn(anvilBinary(), ['--port', '0', '--hardfork', rules, '--no-request-size-limit'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await listeningUrl(child);
  return {
    url,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** The binary itself: anvil's launcher would be one more process, and does not pass signals on. */
function anvilBinary(): string {
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  return createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/bin/${name}`);
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened: ${said}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const address = /Listening on (\S+)/.exec(said)?.[1];
      if (address) resolve(`http://${address}`);
    });
  });
}
