import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';

/**
 * Behaviour of the node for the next requests: `hang` never answers; `error` answers 500 like Kubo; `bad-gateway` is a proxy's HTML page;
 * `full` takes no block; `wrong-key` stores under another CID; `unpinned` ignores `pin`; `corrupt` returns other bytes; `flood` never stops sending.
 */
export type KuboBehaviour = 'ok' | 'hang' | 'error' | 'bad-gateway' | 'full' | 'wrong-key' | 'unpinned' | 'corrupt' | 'flood';

export interface FakeKubo {
  readonly url: string;
  /** The requests so far, as path and query. */
  readonly asked: readonly string[];
  behave(behaviour: KuboBehaviour): void;
  /** An online node searches the network for unknown blocks until its `timeout`; an offline one answers immediately. */
  goOnline(online: boolean): void;
  /** Deletes unpinned blocks. */
  collectGarbage(): void;
  /** Damages a stored block. */
  damage(cid: string): void;
  close(): Promise<void>;
}

const CODECS: Readonly<Record<string, number>> = { raw: 0x55, 'dag-pb': 0x70, json: 0x0200, 'dag-cbor': 0x71 };
const SOFT_BLOCK_LIMIT = 2 * 1024 * 1024;

/** The part of Kubo's RPC API that the content store uses, with its real errors: POST only, multipart, `{"Message","Code","Type"}`. */
export async function startFakeKubo({ authorization }: { readonly authorization?: string } = {}): Promise<FakeKubo> {
  const node = new Node();
  const server = createServer((request, response) => {
    serve(node, authorization, request, response).catch((error: Error) => refuse(response, 500, error.message));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: node.asked,
    behave: (behaviour) => (node.behaviour = behaviour),
    goOnline: (online) => (node.online = online),
    collectGarbage: () => node.collectGarbage(),
    damage: (cid) => node.blocks.set(cid, Buffer.from('damaged')),
    close: () => close(server),
  };
}

class Node {
  readonly asked: string[] = [];
  readonly blocks = new Map<string, Uint8Array>();
  readonly pins = new Set<string>();
  behaviour: KuboBehaviour = 'ok';
  online = false;

  collectGarbage(): void {
    for (const cid of this.blocks.keys()) if (!this.pins.has(cid)) this.blocks.delete(cid);
  }

  put(bytes: Uint8Array, query: URLSearchParams): { Key: string; Size: number } {
    const codec = CODECS[query.get('cid-codec') ?? 'raw'];
    if (codec === undefined) throw new Error(`unknown codec: ${query.get('cid-codec')}`);
    if ((query.get('mhtype') ?? 'sha2-256') !== 'sha2-256') throw new Error('unrecognized multihash function');
    const Key = CID.createV1(codec, Digest.create(0x12, createHash('sha256').update(bytes).digest())).toString();
    this.blocks.set(Key, bytes);
    // As in Kubo: pinned only on request.
    if (query.get('pin') === 'true' && this.behaviour !== 'unpinned') this.pins.add(Key);
    if (bytes.length > SOFT_BLOCK_LIMIT && query.get('allow-big-block') !== 'true')
      throw new Error("produced block is over 2MiB: big blocks can't be exchanged with other peers");
    return { Key, Size: bytes.length };
  }
}

async function serve(node: Node, authorization: string | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://kubo');
  node.asked.push(`${url.pathname}${url.search}`);
  if (request.method !== 'POST') return void response.writeHead(405).end('405 - Method Not Allowed\n');
  if (authorization && request.headers.authorization !== authorization) return void response.writeHead(403).end('403 - Forbidden\n');
  const body = await read(request);
  switch (node.behaviour) {
    case 'hang':
      return;
    case 'error':
      return refuse(response, 500, 'lock /data/ipfs/repo.lock: someone else has the lock');
    case 'bad-gateway':
      return void response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
    case 'flood':
      return flood(response);
    default:
  }
  switch (url.pathname) {
    case '/api/v0/version':
      return answer(response, { Version: '0.39.0', Commit: '', Repo: '17', System: 'amd64/linux', Golang: 'go1.25' });
    case '/api/v0/block/put':
      if (node.behaviour === 'full') return refuse(response, 500, 'write /data/ipfs/blocks/temp-1: no space left on device');
      return put(node, url.searchParams, request, body, response);
    case '/api/v0/block/get':
      return get(node, url.searchParams, response);
    case '/api/v0/pin/rm':
      return unpin(node, url.searchParams, response);
    default:
      return void response.writeHead(404).end('404 page not found\n');
  }
}

async function put(node: Node, query: URLSearchParams, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return refuse(response, 400, "file argument 'data' is required", 'client');
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const file = [...form.values()].find((part) => part instanceof Blob);
  if (!(file instanceof Blob)) return refuse(response, 400, "file argument 'data' is required", 'client');
  const stored = node.put(new Uint8Array(await file.arrayBuffer()), query);
  answer(
    response,
    node.behaviour === 'wrong-key' ? { ...stored, Key: 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy' } : stored,
  );
}

async function get(node: Node, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const cid = query.get('arg') ?? '';
  const bytes = node.blocks.get(cid);
  if (!bytes && node.online) {
    await wait(Number.parseInt(query.get('timeout') ?? '60000', 10));
    return refuse(response, 500, 'context deadline exceeded');
  }
  if (!bytes) return refuse(response, 500, `block was not found locally (offline): ipld: could not find ${cid}`);
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  response.end(node.behaviour === 'corrupt' ? Buffer.from('something else') : Buffer.from(bytes));
}

function unpin(node: Node, query: URLSearchParams, response: ServerResponse): void {
  const cid = query.get('arg') ?? '';
  if (!node.pins.delete(cid)) return refuse(response, 500, 'not pinned or pinned indirectly');
  answer(response, { Pins: [cid] });
}

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}

function refuse(response: ServerResponse, status: number, message: string, code: 'client' | 'error' = 'error'): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ Message: message, Code: code === 'client' ? 1 : 0, Type: 'error' }));
}

function flood(response: ServerResponse): void {
  response.writeHead(200);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
