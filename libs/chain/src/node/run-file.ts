import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpc } from '../rpc/json-rpc.js';
import { identityOf, isRunning, type ProcessIdentity } from './anvil-process.js';
import type { BlockLog } from './block-log.js';
import { NodeNotUsable } from './chain-node.js';
import { logNewBlocks } from './replay-blocks.js';

export interface RunFile {
  readonly anvil: ProcessIdentity;
  readonly owner: ProcessIdentity;
  readonly port: number;
  /** The block from which the anvil started. */
  readonly from: number;
}

export const RUN_FILE = 'anvil.json';

/** The anvil that a killed service left running, or null. @throws NodeNotUsable while another service uses the folder */
export async function orphanIn(folder: string): Promise<RunFile | null> {
  const run = await readRunFile(folder);
  if (!run) return null;
  if (run.owner.pid !== process.pid && isRunning(run.owner))
    throw new NodeNotUsable(
      `The embedded chain in ${folder} is used by the running process ${run.owner.pid}: stop that process, or use another data folder.`,
    );
  return isRunning(run.anvil) ? run : null;
}

/**
 * Anvils of the folder that no run file names: their service was killed before it wrote the file, or could not write it on a full disk.
 * They are known by an argument of theirs. Call it only when no other service uses the folder.
 * @param cachePath `--cache-path` of the anvils of this folder
 */
export function straysWith(cachePath: string): readonly RunFile[] {
  const owner = identityOf(process.pid)!;
  return commandLines().flatMap(({ pid, args }) => {
    const anvil = args.includes(`--cache-path=${cachePath}`) ? identityOf(pid) : null;
    const number = (flag: string): number => Number(args.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3) ?? 0);
    return anvil === null ? [] : [{ anvil, owner, port: number('port'), from: number('fork-block-number') }];
  });
}

function commandLines(): readonly { readonly pid: number; readonly args: readonly string[] }[] {
  if (process.platform === 'win32') return [];
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' });
    return (stdout ?? '').split('\n').map((line) => {
      const [pid, ...args] = line.trim().split(' ');
      return { pid: Number(pid), args };
    });
  }
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      return [{ pid: Number(pid), args: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') }];
    } catch {
      // It has ended, or belongs to somebody else.
      return [];
    }
  });
}

/** Null also for an empty or torn file, which a full disk or a power failure can leave behind. */
async function readRunFile(folder: string): Promise<RunFile | null> {
  try {
    const run = JSON.parse(await readFile(join(folder, RUN_FILE), 'utf8')) as Partial<RunFile> | null;
    return run?.owner && run.anvil && run.port ? (run as RunFile) : null;
  } catch {
    return null;
  }
}

/** Saves the blocks that an orphan mined after its service died, then ends it. */
export async function takeOver(orphan: RunFile, blockLog: BlockLog, log: (line: string) => void): Promise<void> {
  log(`An EVM node of an earlier run (process ${orphan.anvil.pid}) is still running: its blocks are saved and it is stopped.`);
  const rpc = new JsonRpc({ urls: [`http://127.0.0.1:${orphan.port}`], timeoutMs: 10_000, passes: 1 });
  await logNewBlocks(rpc, blockLog, orphan.from).catch((error: Error) => log(`Its last blocks could not be read: ${error.message}`));
  process.kill(orphan.anvil.pid, 'SIGKILL');
  while (isRunning(orphan.anvil)) await sleep(10);
}
