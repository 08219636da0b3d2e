import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpc } from '../rpc/index.js';
import { anvilBinary, NodeNotUsable, whyAnvilEnded } from './anvil-binary.js';

export interface AnvilOptions {
  readonly chainId: number;
  /** Null: any free one. */
  readonly port: number | null;
  readonly cachePath: string;
  readonly genesisTimestamp: number;
  /** Snapshot to start from. */
  readonly loadState: string | null;
  /** Forgets old states: a quarter of the memory, but no reorg on demand. */
  readonly prune: boolean;
}

/** How long a large snapshot may take to load. */
const START_TIMEOUT_MS = 120_000;

/** One running anvil. */
export class AnvilProcess {
  readonly url: string;
  readonly rpc: JsonRpc;
  readonly ended: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.rpc = new JsonRpc({ urls: [this.url], timeoutMs: 60_000 });
    this.ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves when it answers. @throws NodeNotUsable */
  static async start(options: AnvilOptions): Promise<AnvilProcess> {
    const port = options.port ?? (await freePort());
    // Two listeners may share a port for a moment before anvil notices: asked first, so that nobody else's node answers for it.
    if (!(await isFree(port))) throw new NodeNotUsable(whyAnvilEnded('in use', port));
    const child = spawn(anvilBinary(), flags(options, port), {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group: Ctrl-C in the terminal must not end it before its last blocks are in the journal.
      detached: process.platform !== 'win32',
    });
    let output = '';
    const listen = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4_000);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('error', (error) => listen(Buffer.from(error.message)));
    const anvil = new AnvilProcess(child, port);
    try {
      await anvil.answers(() => whyAnvilEnded(output, port));
    } catch (error) {
      await anvil.kill();
      throw error;
    }
    return anvil;
  }

  /** There is nothing in it that is worth an orderly end: what counts is in the journal. */
  async kill(): Promise<void> {
    if (!this.running || this.child.pid === undefined) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async answers(why: () => string): Promise<void> {
    const probe = new JsonRpc({ urls: [this.url], timeoutMs: 1_000, rounds: 1 });
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; ) {
      if (this.child.pid === undefined || !this.running) throw new NodeNotUsable(why());
      const chainId = await probe.call<string>('eth_chainId', []).catch(() => null);
      // Asked again after the answer: on a taken port somebody else's node may have given it.
      if (chainId !== null) {
        await sleep(5);
        if (this.running) return;
        throw new NodeNotUsable(why());
      }
      await sleep(15);
    }
    throw new NodeNotUsable('The embedded EVM node does not answer.');
  }
}

const flags = (options: AnvilOptions, port: number): string[] => [
  '--quiet',
  '--host=127.0.0.1',
  `--port=${port}`,
  `--chain-id=${options.chainId}`,
  `--timestamp=${options.genesisTimestamp}`,
  // Finality by tag after 8 blocks instead of 64.
  '--slots-in-an-epoch=4',
  '--no-request-size-limit',
  // Blocks hold their transactions in the order of arrival, so that a replay in that order gives the same block.
  '--order=fifo',
  `--cache-path=${options.cachePath}`,
  ...(options.prune ? ['--prune-history'] : []),
  ...(options.loadState === null ? [] : [`--load-state=${options.loadState}`]),
];

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen(port, '127.0.0.1');
  const free = await listening;
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
