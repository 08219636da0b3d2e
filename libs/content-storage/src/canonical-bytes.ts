import { NotCanonical, canonicalJson, invalidContent } from '#kernel';

export const MAX_CONTENT_BYTES = 256 * 1024;

/**
 * The bytes that are stored and hashed: RFC 8785 in UTF-8.
 * @throws DomainError 422 `invalid_content` with the pointer of what has no canonical form, or for more than 256 KiB
 */
export function canonicalBytes(content: object): Uint8Array {
  const bytes = Buffer.from(written(content));
  if (bytes.length > MAX_CONTENT_BYTES)
    throw invalidContent([
      { pointer: '/metadata', code: 'content_too_large', message: `${bytes.length} bytes; at most 256 KiB are stored` },
    ]);
  return bytes;
}

function written(content: object): string {
  try {
    return canonicalJson(content);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    throw invalidContent([{ pointer: error.pointer, code: error.code, message: error.message }]);
  }
}
