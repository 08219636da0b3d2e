import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type Addresses, namesOf } from './guarded-connector.client.js';

type Record4 = readonly string[] | 'nothing';

/** Answers by name: addresses of IPv4, 'nothing' for a name that does not exist, and silence for every other name until it speaks. */
class NameServer {
  asked = 0;
  private silent = true;
  private readonly unanswered: (() => void)[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly records: Readonly<Record<string, Record4>>,
  ) {
    socket.on('message', (query, from) => {
      this.asked++;
      const found = this.records[nameIn(query)] ?? (this.silent ? null : 'nothing');
      const send = (record: Record4): void => socket.send(answerTo(query, record), from.port, from.address);
      if (found) send(found);
      else this.unanswered.push(() => send('nothing'));
    });
  }

  static async start(records: Readonly<Record<string, Record4>>): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, records);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** Says of everything that it was silent about, and will be asked, that it does not exist. */
  speak(): void {
    this.silent = false;
    for (const answer of this.unanswered.splice(0)) answer();
  }

  close(): void {
    this.socket.close();
  }
}

const labelsEnd = (query: Buffer): number => {
  let at = 12;
  while (query[at]! > 0) at += 1 + query[at]!;
  return at;
};

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; at < labelsEnd(query); at += 1 + query[at]!) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
  return labels.join('.').toLowerCase();
}

/** RFC 1035 §4.1: the question again, and to one for A records one for each address. */
function answerTo(query: Buffer, found: Record4): Buffer {
  const end = labelsEnd(query);
  const addresses = found === 'nothing' || query.readUInt16BE(end + 1) !== 1 ? [] : found;
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(found === 'nothing' ? 0x8183 : 0x8180, 2);
  [1, addresses.length, 0, 0].forEach((count, i) => head.writeUInt16BE(count, 4 + 2 * i));
  const records = addresses.map((address) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]));
  return Buffer.concat([head, query.subarray(12, end + 5), ...records]);
}

describe('the addresses of a name', () => {
  let server: NameServer;
  beforeEach(async () => {
    server = await NameServer.start({
      'receiver.example': ['192.0.2.7', '192.0.2.8'],
      'nobody.example': 'nothing',
    });
  });
  afterEach(() => server.close());

  const find = (host: string, patienceMs = 60_000): Promise<Addresses> =>
    new Promise((resolve, reject) => {
      namesOf({ patienceMs, servers: [server.address] })(host, (error, found) => (error ? reject(error) : resolve(found)));
    });

  it('are all that the name server says, in whatever case the name is written', async () => {
    const both = [
      { address: '192.0.2.7', family: 4 },
      { address: '192.0.2.8', family: 4 },
    ];
    expect(await find('receiver.example')).toEqual(both);
    expect(await find('Receiver.EXAMPLE.')).toEqual(both);
  });

  it('are none where the name does not exist, or its server stays silent', async () => {
    await expect(find('nobody.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(find('silent.example', 200)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  it('of a name without a dot come from the system, which knows its own', async () => {
    const addresses = (await find('localhost')).map(({ address }) => address);
    expect(addresses.some((address) => address === '127.0.0.1' || address === '::1')).toBe(true);
    expect(server.asked).toBe(0);
  });

  it('hold no thread while servers stay silent: files are read, and other names found', async () => {
    let waiting = 50;
    const silent = Array.from({ length: waiting }, async (_, i) => {
      await find(`silent-${i}.example`, 120_000).catch(() => null);
      waiting--;
    });
    await find('receiver.example');
    await find('localhost');
    await stat('.');
    expect(waiting).toBe(50);
    server.speak();
    await Promise.all(silent);
  });
});
