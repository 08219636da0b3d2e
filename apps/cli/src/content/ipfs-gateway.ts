import { EngineUnavailable } from '#kernel';
import { addressOf, MAX_CONTENT_BYTES } from '#content-storage';

const TIMEOUT_MS = 30_000;

/**
 * Reads raw blocks from an IPFS gateway. Null for a content that it does not have, for other bytes, and for more bytes than a content may
 * have. @throws EngineUnavailable when it does not answer, or answers with a fault: then nothing is known about the content.
 */
export const gateway =
  (address: string) =>
  async (cid: string): Promise<Uint8Array | null> => {
    const url = `${address.replace(/\/+$/, '')}/ipfs/${cid}?format=raw`;
    try {
      const answer = await fetch(url, { headers: { accept: 'application/vnd.ipld.raw' }, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (answer.ok) return await bytesOf(answer, cid);
      await answer.body?.cancel();
      if (answer.status === 404 || answer.status === 410 || answer.status === 504) return null;
      throw new Error(`HTTP ${answer.status}`);
    } catch (error) {
      throw new EngineUnavailable('content_storage', error);
    }
  };

async function bytesOf(answer: Response, cid: string): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_CONTENT_BYTES) return null;
    parts.push(part);
  }
  const bytes = Buffer.concat(parts, size);
  return addressOf(bytes).cid === cid ? bytes : null;
}
