import { type DomainError, isTokenId } from '#kernel';
import { malformedRequest } from '../errors/refusals.js';

/**
 * A token id as a JSON integer or decimal string, from 1 to 2^48 - 1 (reliability-decisions §2.9); never rounded.
 * @param pointer of the value in the request, `/tokenId` of a path parameter
 * @throws DomainError 400 `malformed_request`
 */
export function tokenId(value: unknown, pointer = '/tokenId'): bigint {
  if (!isTokenId(value)) throw notATokenId([pointer]);
  return BigInt(value);
}

/** @param pointer of the list; absent = no ids. @throws DomainError 400 with the pointer of each that is none */
export function tokenIds(values: readonly unknown[] | null | undefined, pointer = '/inputTokenIds'): bigint[] {
  const list = values ?? [];
  const wrong = list.flatMap((value, i) => (isTokenId(value) ? [] : [`${pointer}/${i}`]));
  if (wrong.length > 0) throw notATokenId(wrong);
  return list.map((value) => BigInt(value as number | string));
}

export const TOKEN_ID_SENTENCE = 'A token id is an integer from 1 to 281474976710655, as a JSON integer or its decimal string.';

const notATokenId = (pointers: readonly string[]): DomainError =>
  malformedRequest(pointers.map((pointer) => ({ pointer, code: 'invalid_token_id', message: TOKEN_ID_SENTENCE })));
