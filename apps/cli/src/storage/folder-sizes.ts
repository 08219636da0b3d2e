import { type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '#config';
import type { Area } from './table-sizes.js';

const CONTENTS = 'UNSENT_CONTENTS_KEPT_DAYS unless a record refers to it, then without limit';

/** What limits the folders of the embedded engines. */
const KEPT: Readonly<Record<string, string>> = {
  content: CONTENTS,
  postgres: 'the tables above, their free space, and the write-ahead log',
  chain: 'without limit: the blocks of the embedded chain, and its state',
};

interface Size {
  files: number;
  bytes: number;
  oldestMs: number;
}

/** The content store, and the folders of the embedded engines that are there. */
export async function storeSizes(config: Pick<Config, 'content' | 'dataDir'>): Promise<readonly Area[]> {
  const areas: Area[] = [];
  for (const name of ['content', 'chain', 'postgres']) {
    const folder = join(resolve(config.dataDir), name);
    const size = await sizeOf(folder);
    if (size.files > 0) areas.push({ name: folder, count: size.files, bytes: size.bytes, oldest: iso(size.oldestMs), kept: KEPT[name]! });
  }
  if (config.content.kind === 'kubo') areas.push(await repositoryOf(config.content));
  return areas;
}

const iso = (ms: number): string | null => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);

/** A file that is deleted meanwhile counts as nothing. */
async function sizeOf(folder: string, size: Size = { files: 0, bytes: 0, oldestMs: Number.POSITIVE_INFINITY }): Promise<Size> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await sizeOf(path, size);
    else if (entry.isFile()) {
      const found = await stat(path).catch(() => null);
      if (found === null) continue;
      size.files++;
      size.bytes += found.size;
      size.oldestMs = Math.min(size.oldestMs, found.mtimeMs);
    }
  }
  return size;
}

/** The whole repository of the IPFS node: what others have stored there is in it. */
async function repositoryOf({ url, authorization, timeoutMs }: Extract<Config['content'], { kind: 'kubo' }>): Promise<Area> {
  const area = { name: 'IPFS node', oldest: null, kept: CONTENTS };
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/api/v0/repo/stat`, {
      method: 'POST',
      signal: AbortSignal.timeout(timeoutMs),
      ...(authorization && { headers: { authorization } }),
    });
    const { NumObjects, RepoSize } = (await response.json()) as { NumObjects?: number; RepoSize?: number };
    return { ...area, count: NumObjects ?? null, bytes: RepoSize ?? null };
  } catch {
    return { ...area, count: null, bytes: null };
  }
}
