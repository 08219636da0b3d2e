import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file so that a kill at any moment leaves the old content or the new one, never half of it. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const aside = `${path}.new`;
  const file = await open(aside, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
  await syncFolder(dirname(path));
}

/** A rename is only as durable as the folder that records it; Windows has no such call and needs none. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder: FileHandle = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
