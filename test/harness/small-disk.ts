import { spawnSync } from 'node:child_process';

/** Puts a disk of this size (`2m`) at the folder. @returns whether that worked: only root of a Linux may mount */
export const mountSmallDisk = (folder: string, size: string): boolean =>
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', folder]).status === 0;

export function unmount(folder: string): void {
  spawnSync('umount', ['-l', folder]);
}

/** Writes zeros until there is no space left. */
export function fillDisk(file: string): void {
  const { status, stderr } = spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=64k'], { encoding: 'utf8' });
  if (status === 0 || !stderr.includes('No space left')) throw new Error(`the disk of ${file} was not filled: ${stderr}`);
}
