import { hash as digest } from 'node:crypto';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parentPort, workerData } from 'node:worker_threads';
import { type Account, type Entry, keyOf, merged, StateTable, writeTable } from './state-table.js';

/** What an anvil changed is written to `file`. Tables before it that are not much larger than the one after them become one. */
export interface SnapshotJob {
  readonly url: string;
  readonly folder: string;
  readonly file: string;
  /** Tables from before the start of this anvil, oldest first. */
  readonly earlier: readonly string[];
}

export interface SnapshotMade {
  /** Number of the block after which the state is. */
  readonly number: number;
  /** For each table from before, its new file; null for one whose values are in the next one. */
  readonly earlier: readonly (string | null)[];
}

/** Sent when the anvil may mine again, and at the end. */
export type SnapshotMessage = { readonly dumped: true } | { readonly made: SnapshotMade };

const job = workerData as SnapshotJob;
parentPort!.postMessage({ made: await snapshot() } satisfies SnapshotMessage);

async function snapshot(): Promise<SnapshotMade> {
  const { number, accounts } = await dump();
  const { entries, codes } = entriesOf(accounts);
  await writeTable(join(job.folder, job.file), entries, codes);
  return { number, earlier: await compacted(job.earlier) };
}

/** There is no limit to the size of this answer: it comes from the service's own node. */
async function dump(): Promise<{ readonly number: number; readonly accounts: Readonly<Record<string, Account>> }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_dumpState', params: [] });
  const response = await fetch(job.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = Buffer.from(await response.arrayBuffer());
  parentPort!.postMessage({ dumped: true } satisfies SnapshotMessage);
  const from = answer.indexOf('"0x') + 3;
  if (from < 3) throw new Error(`anvil_dumpState: ${answer.subarray(0, 200).toString()}`);
  const json = gunzipSync(Buffer.from(answer.toString('latin1', from, answer.lastIndexOf('"')), 'hex'));
  // The blocks after the accounts are in the block log.
  const end = json.indexOf('"best_block_number":');
  const start = json.indexOf('"accounts":') + '"accounts":'.length;
  const number = Number.parseInt(json.subarray(end + '"best_block_number":'.length, end + 40).toString(), 10);
  return { number, accounts: JSON.parse(json.subarray(start, json.lastIndexOf(',', end)).toString()) as Record<string, Account> };
}

function entriesOf(accounts: Readonly<Record<string, Account>>): { readonly entries: Entry[]; readonly codes: Record<string, string> } {
  const entries: Entry[] = [];
  const codes: Record<string, string> = {};
  const word = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  const add = (key: Buffer, value: Buffer): unknown => entries.push(Buffer.concat([key, value]));
  for (const [key, { balance, nonce, code, storage }] of Object.entries(accounts)) {
    const address = key.slice(2);
    add(keyOf(address, 'balance'), word(BigInt(balance)));
    add(keyOf(address, 'nonce'), word(BigInt(nonce)));
    if (code.length > 2) {
      const hash = digest('sha256', code);
      codes[hash] = code;
      add(keyOf(address, 'code'), Buffer.from(hash, 'hex'));
    }
    for (const [slot, value] of Object.entries(storage)) add(keyOf(address, 'slot', slot.slice(2).padStart(64, '0')), word(BigInt(value)));
  }
  return { entries: entries.sort((a, b) => a.compare(b)), codes };
}

/** The files that replace the given ones; a merged one has the place of its last part. */
async function compacted(files: readonly string[]): Promise<(string | null)[]> {
  const kept: (string | null)[] = [...files];
  let last = files.length - 1;
  for (let before = last - 1; before >= 0; before--) {
    const merge = await mergedFile(kept[before]!, kept[last]!, `${job.file.replace('.table', '')}-${before}.table`);
    if (merge === null) last = before;
    else [kept[before], kept[last]] = [null, merge];
  }
  return kept;
}

/** Null when the older one is so much larger that merging costs more than it saves. */
async function mergedFile(olderFile: string, newerFile: string, file: string): Promise<string | null> {
  const [older, newer] = [olderFile, newerFile].map((name) => StateTable.open(join(job.folder, name)));
  const worthIt = older && newer && older.count < 2 * newer.count;
  if (worthIt) await writeTable(join(job.folder, file), merged(older.entries(), newer.entries()), { ...older.codes, ...newer.codes });
  older?.close();
  newer?.close();
  return worthIt ? file : null;
}
