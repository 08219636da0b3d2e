import { EngineUnavailable } from '#kernel';
import { MAX_CONTENT_BYTES } from '../canonical-bytes.js';
import { addressOf, type ContentAddress, ContentStore, isContentCid, verified, withinLimit } from '../content-store.js';

export interface KuboOptions {
  /** Base of the RPC API, e.g. `http://127.0.0.1:5001`. */
  readonly url: string;
  /** Value of the Authorization header (Kubo: `API.Authorizations`), e.g. `Bearer …`. */
  readonly authorization?: string | null;
  /** What one call may take; an unknown CID is looked for on the network for so long. */
  readonly timeoutMs?: number;
}

/** Our clock runs longer than the node's `timeout`, so that a live node answers first and silence means that it is away. */
const MARGIN_MS = 1_000;
const CHECK_MS = 2_000;
/** How Kubo says "not here": offline at once, online when its own time is over. */
const ABSENT = /not found|could not find|context deadline exceeded/i;

class KuboRefused extends Error {}

/**
 * Blocks in an IPFS node by the Kubo RPC API (`/api/v0`, POST only): `block/put` pinned, for unpinned blocks fall to the node's
 * garbage collection, and `block/get`. Nothing the node says is believed: the key must be our CID, the bytes must hash to it.
 */
export class KuboContentStore extends ContentStore {
  private readonly timeoutMs: number;

  constructor(private readonly options: KuboOptions) {
    super();
    this.timeoutMs = options.timeoutMs ?? 5_000;
  }

  override async put(bytes: Uint8Array): Promise<ContentAddress> {
    const address = addressOf(withinLimit(bytes));
    const body = new FormData();
    body.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), address.cid);
    const answer = await this.call('block/put', { 'cid-codec': 'raw', mhtype: 'sha2-256', pin: 'true' }, this.timeoutMs, body);
    const { Key } = parse(answer) as { Key?: unknown };
    if (Key !== address.cid) throw new EngineUnavailable('content_storage', new Error(`the node stored ${address.cid} as ${String(Key)}`));
    return address;
  }

  override async get(cid: string): Promise<Uint8Array | null> {
    if (!isContentCid(cid)) return null;
    try {
      return verified(cid, await this.call('block/get', { arg: cid }, this.timeoutMs));
    } catch (error) {
      if (error instanceof EngineUnavailable && error.cause instanceof KuboRefused && ABSENT.test(error.cause.message)) return null;
      throw error;
    }
  }

  override async check(): Promise<void> {
    await this.call('version', {}, CHECK_MS);
  }

  private async call(command: string, parameters: Record<string, string>, timeoutMs: number, body?: FormData): Promise<Uint8Array> {
    const query = new URLSearchParams({ ...parameters, timeout: `${timeoutMs}ms` });
    const { url, authorization } = this.options;
    try {
      const response = await fetch(`${url.replace(/\/+$/, '')}/api/v0/${command}?${query}`, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs + MARGIN_MS),
        ...(authorization && { headers: { authorization } }),
        ...(body && { body }),
      });
      const bytes = await readWithin(response, MAX_CONTENT_BYTES);
      if (!response.ok) throw new KuboRefused(`${command}: ${response.status} ${messageOf(bytes)}`);
      return bytes;
    } catch (error) {
      throw new EngineUnavailable('content_storage', error);
    }
  }
}

async function readWithin(response: Response, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > limit) throw new Error(`the node answered with more than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** `{"Message","Code","Type":"error"}`, or the text of what stands in front of the node. */
function messageOf(bytes: Uint8Array): string {
  const said = parse(bytes) as { Message?: unknown };
  return typeof said.Message === 'string' ? said.Message : Buffer.from(bytes).toString('utf8').slice(0, 200);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return (JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown) ?? {};
  } catch {
    return {};
  }
}
