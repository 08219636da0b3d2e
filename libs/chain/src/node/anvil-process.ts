import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { JsonRpc } from '../rpc/json-rpc.js';
import { NodeNotUsable } from './chain-node.js';

const require = createRequire(import.meta.url);

export interface AnvilOptions {
  readonly chainId: number;
  /** Null: any free one. */
  readonly port: number | null;
  readonly cachePath: string;
  readonly genesisTimestamp: number;
  /** Continues the chain at this address after this block. */
  readonly forkOf?: { readonly url: string; readonly block: number };
  /** It accepts transactions and mines none until `mineAutomatically`. */
  readonly mines?: false;
  /** Discards old states: needs a quarter of the memory, but cannot make a reorg on request. */
  readonly prune: boolean;
}

/** Loading a large snapshot may take this long. */
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
    // Two listeners may share a port for a moment before anvil notices. Checked first, so that another node does not answer for it.
    if (!(await isFree(port))) throw new NodeNotUsable(failureReason('in use', port));
    const child = spawn(anvilBinary(), flags(options, port), {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group: Ctrl-C in the terminal must not end it before its last blocks are logged.
      detached: process.platform !== 'win32',
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => collect(Buffer.from(error.message)));
    const anvil = new AnvilProcess(child, port);
    try {
      await anvil.waitUntilReady(() => failureReason(output, port));
    } catch (error) {
      await anvil.kill();
      throw error;
    }
    return anvil;
  }

  /** It needs no orderly end: its blocks are in the log. */
  async kill(): Promise<void> {
    if (!this.running || this.child.pid === undefined) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async waitUntilReady(why: () => string): Promise<void> {
    const probe = new JsonRpc({ urls: [this.url], timeoutMs: 1_000, passes: 1 });
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline;) {
      if (this.child.pid === undefined || !this.running) throw new NodeNotUsable(why());
      const chainId = await probe.call<string>('eth_chainId', []).catch(() => null);
      // Checked again after the answer: on a port in use, another node may have answered.
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
  // Blocks contain their transactions in the order of arrival, so that a replay in that order gives the same block.
  '--order=fifo',
  `--cache-path=${options.cachePath}`,
  ...(options.prune ? ['--prune-history'] : []),
  ...(options.mines === false ? ['--no-mining'] : []),
  ...(options.forkOf
    ? [
        `--fork-url=${options.forkOf.url}`,
        `--fork-block-number=${options.forkOf.block}`,
        '--no-storage-caching',
        '--no-rate-limit',
        '--retries=0',
      ]
    : []),
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

/**
 * Path of the binary for this platform. The npm wrapper would need another Node process and cannot forward a SIGKILL.
 * @throws NodeNotUsable
 */
function anvilBinary(platform: string = process.platform, arch: string = process.arch): string {
  const cpu = arch === 'x64' ? 'amd64' : arch;
  try {
    return require.resolve(`@foundry-rs/anvil-${platform}-${cpu}/bin/anvil${platform === 'win32' ? '.exe' : ''}`);
  } catch {
    // There is no package for this platform, or npm installed no optional packages.
  }
  throw new NodeNotUsable(
    `There is no embedded EVM node for ${platform} ${arch}, or it was not installed (npm install --omit=optional leaves it out). ` +
      'Set CHAIN_RPC_URLS to the JSON-RPC address of a node.',
  );
}

/** Why the binary ended immediately, in one sentence. */
function failureReason(output: string, port: number): string {
  if (/GLIBC_|ld-linux|libc\.so/.test(output))
    return 'The embedded EVM node needs glibc 2.35 or newer (Debian 12, Ubuntu 22.04). Set CHAIN_RPC_URLS to the address of a node elsewhere.';
  if (/in use/.test(output)) return `Port ${port} is in use by another program: free it, or set CHAIN_PORT to another port.`;
  return `The embedded EVM node ended immediately: ${output.trim().split('\n').at(-1) ?? 'without any output'}`;
}

/** Distinguishes a process from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the platform's format. */
  readonly started: string;
}

/** Null when no such process runs. */
export function identityOf(pid: number): ProcessIdentity | null {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === null ? null : { pid, started };
}

export const isRunning = (known: ProcessIdentity): boolean => identityOf(known.pid)?.started === known.started;

/** proc(5): field 22 is the start time in clock ticks since boot; the name in field 2 may contain spaces. A zombie counts as ended. */
function startedOnLinux(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : fields[19]!;
  } catch {
    return null;
  }
}

function startedByPs(pid: number): string | null {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || null;
}
