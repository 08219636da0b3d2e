import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/** Where a block should lie, and the sha2-256 digest of its bytes in hex. */
export interface BlockFile {
  readonly file: string;
  readonly digest: string;
}

export interface Asking {
  readonly id: number;
  readonly files: readonly BlockFile[];
}

/** The bytes of all blocks, one after the other; -1 is the length of one that is not there whole. */
export interface Answer {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly lengths: readonly number[];
}

/** One byte more than a block may have: what fills it is none. */
const scratch = Buffer.allocUnsafeSlow((workerData as { readonly most: number }).most + 1);

parentPort!.on('message', ({ id, files }: Asking) => {
  const blocks = files.map(read);
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + (block?.length ?? 0), 0));
  let at = 0;
  for (const block of blocks) {
    if (block) bytes.set(block, at);
    at += block?.length ?? 0;
  }
  const answer: Answer = { id, bytes, lengths: blocks.map((block) => block?.length ?? -1) };
  parentPort!.postMessage(answer, [bytes.buffer]);
});

function read({ file, digest }: BlockFile): Buffer | null {
  try {
    const open = openSync(file, 'r');
    try {
      const length = readSync(open, scratch, 0, scratch.length, 0);
      const block = scratch.subarray(0, length);
      return hash('sha256', block) === digest ? Buffer.from(block) : null;
    } finally {
      closeSync(open);
    }
  } catch {
    return null;
  }
}
