import { type Socket, connect } from 'node:net';
import { once } from 'node:events';
import { Injectable } from '@nestjs/common';
import { FileScan } from '../contract.js';
import { DocumentsSettings } from '../documents.settings.js';
import { documentInfected, scannerUnavailable } from '../errors.js';

/** Bytes of one chunk of a stream; clamd takes up to its StreamMaxLength in all. */
const CHUNK = 64 * 1024;
const MOST_ANSWER = 4_096;

/** The command INSTREAM of clamd: chunks with their length in four bytes, and an empty one at the end (`man clamd`). */
@Injectable()
export class ClamdScan extends FileScan {
  constructor(private readonly settings: DocumentsSettings) {
    super();
  }

  override async check(bytes: Buffer): Promise<boolean> {
    if (this.settings.clamd === null) return false;
    const answer = await this.ask(bytes).catch((cause: unknown) => {
      throw Object.assign(scannerUnavailable(), { cause });
    });
    const [, found] = /^stream: (.+) FOUND$/.exec(answer) ?? [];
    if (found !== undefined) throw documentInfected(found.slice(0, 200));
    if (answer === 'stream: OK') return true;
    // Larger than it takes, or a fault of its own: what was not scanned is not stored.
    throw Object.assign(scannerUnavailable(), { cause: new Error(`clamd answers: ${answer}`) });
  }

  private async ask(bytes: Buffer): Promise<string> {
    const socket = connect(this.settings.clamd!);
    const answer = answerOf(socket, this.settings.scanMs);
    // It ends the connection when it refuses a stream: then its answer, or its absence, says why.
    const sent = this.send(socket, bytes).catch(() => undefined);
    try {
      return await answer;
    } finally {
      socket.destroy();
      await sent;
    }
  }

  private async send(socket: Socket, bytes: Buffer): Promise<void> {
    const closed = once(socket, 'close');
    const write = async (part: Uint8Array): Promise<void> => {
      if (!socket.write(part)) await Promise.race([once(socket, 'drain'), closed]);
    };
    await write(Buffer.from('zINSTREAM\0'));
    for (let from = 0; from < bytes.length && !socket.destroyed; from += CHUNK) {
      const part = bytes.subarray(from, from + CHUNK);
      await write(lengthOf(part.length));
      await write(part);
    }
    if (!socket.destroyed) await write(lengthOf(0));
  }
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** Its line, which a zero byte ends. */
function answerOf(socket: Socket, withinMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    socket.setTimeout(withinMs, () => reject(new Error(`clamd said nothing for ${withinMs} ms`)));
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      said += part;
      const end = said.indexOf('\0');
      if (end >= 0) resolve(said.slice(0, end).trim());
      else if (said.length > MOST_ANSWER) reject(new Error('clamd said something else than an answer'));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('clamd closed the connection')));
  });
}
