import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/** The file of a block, and the sha2-256 digest of its bytes in hex. */
export interface BlockFile {
  readonly file: string;
  readonly digest: string;
}

export interface ReadRequest {
  readonly id: number;
  readonly files: readonly BlockFile[];
}

/** The bytes of all blocks, one after the other. The length of a missing or damaged block is -1. */
export interface ReadResponse {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly lengths: readonly number[];
}

/** One byte more than the maximum, so that a larger file fails the digest check. */
const scratch = Buffer.allocUnsafeSlow((workerData as { readonly maxBytes: number }).maxBytes + 1);

parentPort!.on('message', ({ id, files }: ReadRequest) => {
  const blocks = files.map(read);
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + (block?.length ?? 0), 0));
  let at = 0;
  for (const block of blocks) {
    if (block) bytes.set(block, at);
    at += block?.length ?? 0;
  }
  const response: ReadResponse = { id, bytes, lengths: blocks.map((block) => block?.length ?? -1) };
  parentPort!.postMessage(response, [bytes.buffer]);
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
