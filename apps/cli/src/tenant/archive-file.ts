import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Zip, ZipDeflate } from 'fflate';
import { type Entry, type ZipFile, open } from 'yauzl';
import { OperatorError } from '../../../runtime/src/index.js';

export const FORMAT = 'traceability-tenant/1';
const MANIFEST = 'manifest.json';
const SEAL = 'manifest.hmac';
const MOST_MANIFEST = 64 * 1024 * 1024;
/** Sizes and places in the file have 32 bits. */
const MOST_BYTES = 0xff_ff_00_00;

export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly madeAt: string;
  readonly tenant: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly environment: string;
    readonly tier: string;
  };
  readonly chain: { readonly chainId: number; readonly registry: string; readonly genesisHash: string | null };
  /** In the order in which they are restored. */
  readonly tables: readonly { readonly table: string; readonly columns: readonly string[]; readonly rows: number }[];
  /** Of the contents that records refer to; those that the content store has not are missing in the archive too. */
  readonly contents: { readonly held: number; readonly missing: number };
  /** Contents whose keys are in the archive; null where it was made without keys. */
  readonly keys: number | null;
  /** Of the keys that are derived from the passphrase, base64. */
  readonly salt: string;
  readonly files: readonly ArchivedFile[];
}

/** Writes a ZIP file while its contents are read. It has its name when it is whole. */
export class ArchiveWriter {
  readonly files: ArchivedFile[] = [];
  private pieces: Uint8Array[] = [];
  private written = 0;
  private fault: Error | null = null;
  private readonly zip = new Zip((error, piece) => {
    if (error) throw error;
    this.pieces.push(piece);
  });

  private constructor(
    private readonly path: string,
    private readonly target: WriteStream,
  ) {
    target.on('error', (error) => (this.fault = error));
  }

  /** @throws OperatorError */
  static async create(path: string): Promise<ArchiveWriter> {
    const target = createWriteStream(`${path}.part`, { flags: 'wx', mode: 0o600 });
    await once(target, 'open').catch((error: Error) => {
      throw new OperatorError(`${path}.part cannot be written: ${error.message}`);
    });
    return new ArchiveWriter(path, target);
  }

  async add(name: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const file = new ZipDeflate(name, { level: 6 });
    this.zip.add(file);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      file.push(piece);
      await this.flush();
    }
    file.push(new Uint8Array(0), true);
    await this.flush();
    this.files.push({ name, bytes, sha256: hash.digest('hex') });
  }

  async end(manifest: Omit<Manifest, 'files'>, macKey: Uint8Array): Promise<void> {
    const text = Buffer.from(JSON.stringify({ ...manifest, files: [...this.files] }, null, 1));
    await this.add(MANIFEST, [text]);
    await this.add(SEAL, [Buffer.from(sealOf(text, macKey))]);
    this.zip.end();
    await this.flush();
    this.target.end();
    await once(this.target, 'finish');
    await rename(`${this.path}.part`, this.path);
  }

  async discard(): Promise<void> {
    this.target.destroy();
    await rm(`${this.path}.part`, { force: true });
  }

  private async flush(): Promise<void> {
    const pieces = this.pieces;
    this.pieces = [];
    for (const piece of pieces) {
      if (this.fault) throw new OperatorError(`${this.path}.part cannot be written: ${this.fault.message}`);
      this.written += piece.length;
      if (this.written > MOST_BYTES)
        throw new OperatorError('The archive is larger than 4 GiB. Make it with --without-contents, and copy the content store by itself.');
      if (!this.target.write(piece)) await once(this.target, 'drain');
    }
  }
}

const sealOf = (manifest: Uint8Array, key: Uint8Array): string => createHmac('sha256', key).update(manifest).digest('hex');

/** An archive of which every byte was checked. */
export class Archive {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    readonly manifest: Manifest,
  ) {}

  /**
   * @param macKeyOf the key of the seal, by the salt
   * @throws OperatorError for a file that is torn, changed, or something else
   */
  static async open(path: string, macKeyOf: (salt: string) => Uint8Array): Promise<Archive> {
    const zip = await openZip(path);
    try {
      const entries = await entriesOf(zip, path);
      const text = await smallFile(zip, entries, MANIFEST, path);
      const manifest = manifestOf(text, path);
      const seal = (await smallFile(zip, entries, SEAL, path)).toString();
      const expected = sealOf(text, macKeyOf(manifest.salt));
      if (seal.length !== expected.length || !timingSafeEqual(Buffer.from(seal), Buffer.from(expected)))
        throw new OperatorError(`${path} was changed, or TRACE_ARCHIVE_PASSPHRASE is not the one that it was made with.`);
      const archive = new Archive(zip, entries, manifest);
      await archive.check(path);
      return archive;
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  close(): void {
    this.zip.close();
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  read(name: string): Promise<Readable> {
    return streamOf(this.zip, this.entries.get(name)!);
  }

  async *lines(name: string): AsyncGenerator<string> {
    let rest = '';
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for await (const piece of (await this.read(name)) as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== '') yield rest;
  }

  private async check(path: string): Promise<void> {
    const known = new Set([MANIFEST, SEAL, ...this.manifest.files.map(({ name }) => name)]);
    const foreign = [...this.entries.keys()].find((name) => !known.has(name));
    if (foreign !== undefined) throw new OperatorError(`${path} has a file that its manifest does not name: ${foreign}.`);
    for (const { name, bytes, sha256 } of this.manifest.files) {
      if (!this.entries.has(name)) throw new OperatorError(`${path} lacks ${name}.`);
      const hash = createHash('sha256');
      let size = 0;
      try {
        for await (const piece of (await this.read(name)) as AsyncIterable<Buffer>) {
          hash.update(piece);
          size += piece.length;
        }
      } catch (error) {
        throw new OperatorError(`${path} is damaged in ${name}: ${(error as Error).message}`);
      }
      if (size !== bytes || hash.digest('hex') !== sha256)
        throw new OperatorError(`${path} was changed: ${name} is not what the manifest says.`);
    }
  }
}

function openZip(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true }, (error, zip) => {
      if (zip) return resolve(zip);
      const isMissing = error !== null && 'code' in error && error.code === 'ENOENT';
      reject(new OperatorError(isMissing ? `There is no file ${path}.` : `${path} is no archive, or its end is missing.`));
    });
  });
}

function entriesOf(zip: ZipFile, path: string): Promise<ReadonlyMap<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>();
    zip.on('entry', (entry: Entry) => {
      if (entries.has(entry.fileName)) return reject(new OperatorError(`${path} has ${entry.fileName} twice.`));
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.on('end', () => resolve(entries));
    zip.on('error', () => reject(new OperatorError(`${path} is damaged.`)));
    zip.readEntry();
  });
}

const streamOf = (zip: ZipFile, entry: Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (stream ? resolve(stream) : reject(error ?? new Error('it cannot be read'))));
  });

async function smallFile(zip: ZipFile, entries: ReadonlyMap<string, Entry>, name: string, path: string): Promise<Buffer> {
  const entry = entries.get(name);
  if (!entry || entry.uncompressedSize > MOST_MANIFEST) throw new OperatorError(`${path} is no archive of a tenant: it has no ${name}.`);
  try {
    return Buffer.concat(await (await streamOf(zip, entry)).toArray());
  } catch (error) {
    throw new OperatorError(`${path} is damaged in ${name}: ${(error as Error).message}`);
  }
}

function manifestOf(text: Buffer, path: string): Manifest {
  let manifest: Partial<Manifest> | null = null;
  try {
    manifest = JSON.parse(text.toString()) as Partial<Manifest> | null;
  } catch {
    // It is no manifest.
  }
  if (manifest?.format === FORMAT && typeof manifest.salt === 'string' && Array.isArray(manifest.files)) return manifest as Manifest;
  throw new OperatorError(`${path} is no archive of a tenant that this version reads (${FORMAT}).`);
}
