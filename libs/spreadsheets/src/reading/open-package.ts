import type { Readable } from 'node:stream';
import { type Entry, type ZipFile, fromBuffer } from 'yauzl';
import { UnreadableFile } from '../table.js';

/** What all files of a workbook may have when they are unpacked. */
const MOST_BYTES = 512 * 1024 * 1024;
/** A worksheet of the same row a hundred thousand times is packed to a hundredth. */
const MOST_RATIO = 200;
/** Below it, the ratio says nothing. */
const SMALL = 10 * 1024 * 1024;
const MOST_FILES = 5_000;

/** The files of a ZIP package by their names. */
export class Package {
  private left = MOST_BYTES;

  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** @throws UnreadableFile for what is damaged, encrypted or larger than it may be */
  static async open(bytes: Buffer): Promise<Package> {
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, opened) =>
        opened ? resolve(opened) : reject(damaged(error)),
      );
    });
    if (zip.entryCount > MOST_FILES) throw bomb();
    const entries = await entriesOf(zip);
    const all = [...entries.values()];
    if (all.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0) > MOST_BYTES || all.some(isBomb)) throw bomb();
    if (all.some((entry) => (entry.generalPurposeBitFlag & 1) !== 0)) throw new UnreadableFile('file_encrypted', 'The file is encrypted.');
    return new Package(zip, entries);
  }

  get names(): readonly string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** Its bytes as they are unpacked, at most so many. What the directory says of its size does not count. @throws UnreadableFile */
  async *read(name: string, most = MOST_BYTES): AsyncGenerator<Buffer> {
    let unpacked = 0;
    const entry = this.entries.get(name);
    if (!entry) throw new UnreadableFile('file_damaged', `The workbook has no ${name}.`);
    const stream = await new Promise<Readable>((resolve, reject) => {
      this.zip.openReadStream(entry, (error, opened) => (opened ? resolve(opened) : reject(damaged(error))));
    });
    try {
      for await (const part of stream as AsyncIterable<Buffer>) {
        this.left -= part.length;
        unpacked += part.length;
        if (this.left < 0 || unpacked > most) throw bomb();
        yield part;
      }
    } catch (error) {
      throw error instanceof UnreadableFile ? error : damaged(error);
    } finally {
      stream.destroy();
    }
  }
}

function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>();
    zip.on('entry', (entry: Entry) => {
      // Two files with one name: readers would disagree about which counts.
      if (entries.has(entry.fileName)) reject(damaged(new Error('a file occurs twice')));
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.on('end', () => resolve(entries));
    zip.on('error', (error) => reject(damaged(error)));
    zip.readEntry();
  });
}

const isBomb = ({ uncompressedSize, compressedSize }: Entry): boolean =>
  uncompressedSize > SMALL && uncompressedSize > compressedSize * MOST_RATIO;
const bomb = (): UnreadableFile =>
  new UnreadableFile('zip_bomb', 'The file would be unpacked to many times its size. Nothing of it was read.');
const damaged = (cause: unknown): UnreadableFile =>
  Object.assign(new UnreadableFile('file_damaged', 'The file is no readable XLSX workbook.'), { cause });
