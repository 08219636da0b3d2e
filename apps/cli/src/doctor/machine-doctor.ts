import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '#config';
import { inWords } from '../storage/storage.command.js';
import { failing, fine, type Finding, reasonOf } from './finding.js';

/** A minute of a busy service, and room for what the engines write while they stop. */
const LEAST_FREE = 256 * 2 ** 20;
const TIMEOUT_MS = 10_000;

/** The data folder, where the engines that the service starts itself keep everything. */
export async function disk({ dataDir, database, chain, content }: Config): Promise<readonly Finding[]> {
  if (database.kind === 'url' && chain.node.kind === 'rpc' && content.kind !== 'files') return [];
  const folder = resolve(dataDir);
  try {
    const there = existing(folder);
    if (!(await stat(there)).isDirectory()) throw new Error(`${there} is a file`);
    await access(there, constants.W_OK);
    const { bavail, bsize } = await statfs(there);
    const free = `${inWords(bavail * bsize)} free for ${folder}`;
    if (bavail * bsize >= LEAST_FREE) return [fine('disk', free)];
    return [failing('disk', free, 'Free some space, or choose another folder with DATA_DIR: on a full disk nothing is stored.')];
  } catch (error) {
    return [
      failing(
        'disk',
        `${folder} cannot be used: ${reasonOf(error)}`,
        'DATA_DIR must be a folder that the service may create and write to.',
      ),
    ];
  }
}

/** The folder, or that in which it will be created. */
function existing(folder: string): string {
  const above = dirname(folder);
  return existsSync(folder) || above === folder ? folder : existing(above);
}

interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly state: string; readonly reason?: string; readonly impact?: string }>>;
}

/** What the service says of its engines, if it runs on this machine: it is the only one that knows the embedded ones. */
export async function service({ role, http: { host, port } }: Config): Promise<readonly Finding[]> {
  if (role === 'worker' || port === 0) return [];
  const at = `http://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
  let answer: Response;
  try {
    answer = await fetch(`${at}/health/ready`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const isSilent = (error as Error).name === 'TimeoutError';
    if (!isSilent) return [fine('service', `none runs at ${at}`)];
    return [
      failing(
        'service',
        `${at} accepts connections, but does not answer`,
        'Look at its log; if it says nothing, stop it and start it again.',
      ),
    ];
  }
  const said = (await answer.json().catch(() => null)) as Partial<Readiness> | null;
  if (!said?.checks)
    return [failing('service', `what answers at ${at} is another program`, 'Stop that program, or set PORT to another port.')];
  const down = Object.entries(said.checks).filter(([, { state }]) => state === 'down');
  if (down.length === 0) return [fine('service', `runs at ${at}, with all its engines`)];
  return down.map(([name, { reason, impact }]) =>
    failing(
      `service, ${name.replaceAll('_', ' ')}`,
      `down (${reason ?? 'no reason'}). ${impact ?? 'Requests are refused with 503.'}`,
      reason === 'no_space' ? 'Free some space on its disk; it goes on by itself.' : 'Its log says why, in a line of the context Engines.',
    ),
  );
}
