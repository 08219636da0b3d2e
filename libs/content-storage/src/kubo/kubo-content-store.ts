import { randomBytes } from 'node:crypto';
import { EngineUnavailable, WriteWatch } from '#kernel';
import {
  addressOf,
  type ContentAddress,
  ContentStore,
  isContentCid,
  MAX_CONTENT_BYTES,
  PARALLEL_PUTS,
  verified,
  withinLimit,
} from '../content-store.js';

export interface KuboOptions {
  /** Base URL of the RPC API, e.g. `http://127.0.0.1:5001`. */
  readonly url: string;
  /** Value of the Authorization header (Kubo: `API.Authorizations`), e.g. `Bearer …`. */
  readonly authorization?: string | null;
  /** Timeout of one call. For an unknown CID, the node searches the network for this time. */
  readonly timeoutMs?: number;
}

/** The client waits longer than the node's own `timeout`: a live node answers first, so no answer means that it is unavailable. */
const MARGIN_MS = 1_000;
const CHECK_MS = 2_000;
/** Kubo's messages for a missing block: immediately when offline, after its timeout when online. */
const ABSENT = /not found|could not find|context deadline exceeded/i;

const UNPINNED = /not pinned/i;

class KuboRefused extends Error {}

/**
 * Blocks in an IPFS node by the Kubo RPC API (`/api/v0`, POST only): `block/put` with pinning, because the node's garbage collection
 * deletes unpinned blocks, and `block/get`. The node's answers are verified: the key must be our CID, and the bytes must hash to it.
 */
export class KuboContentStore extends ContentStore {
  private readonly timeoutMs: number;
  private readonly writes = new WriteWatch();

  constructor(private readonly options: KuboOptions) {
    super();
    this.timeoutMs = options.timeoutMs ?? 5_000;
  }

  override async put(bytes: Uint8Array): Promise<ContentAddress> {
    const address = addressOf(withinLimit(bytes));
    try {
      await this.store(address.cid, bytes, true);
    } catch (error) {
      this.writes.failed(error);
      throw error;
    }
    return address;
  }

  private async store(cid: string, bytes: Uint8Array, pin: boolean, timeoutMs = this.timeoutMs): Promise<void> {
    const body = new FormData();
    body.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), cid);
    const answer = await this.call('block/put', { 'cid-codec': 'raw', mhtype: 'sha2-256', pin: String(pin) }, timeoutMs, body);
    const { Key } = parse(answer) as { Key?: unknown };
    if (Key !== cid) throw new EngineUnavailable('content_storage', new Error(`the node stored ${cid} as ${String(Key)}`));
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

  /** Takes the pins off: the node's garbage collection deletes the blocks, unless somebody else has pinned them. */
  override async delete(cids: readonly string[]): Promise<void> {
    const ours = cids.filter(isContentCid);
    for (let from = 0; from < ours.length; from += PARALLEL_PUTS)
      await Promise.all(ours.slice(from, from + PARALLEL_PUTS).map((cid) => this.unpin(cid)));
  }

  private async unpin(cid: string): Promise<void> {
    try {
      await this.call('pin/rm', { arg: cid }, this.timeoutMs);
    } catch (error) {
      if (!(error instanceof EngineUnavailable && error.cause instanceof KuboRefused && UNPINNED.test(error.cause.message))) throw error;
    }
  }

  override async check(): Promise<void> {
    await this.call('version', {}, CHECK_MS);
    // A node with a full disk still answers. A block without a pin is deleted by its garbage collection.
    await this.writes.check(() => {
      const bytes = randomBytes(32);
      return this.store(addressOf(bytes).cid, bytes, false, CHECK_MS);
    });
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

/** `{"Message","Code","Type":"error"}` of the node, or the text of a proxy in front of it. */
function messageOf(bytes: Uint8Array): string {
  const body = parse(bytes) as { Message?: unknown };
  return typeof body.Message === 'string' ? body.Message : Buffer.from(bytes).toString('utf8').slice(0, 200);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return (JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown) ?? {};
  } catch {
    return {};
  }
}
