import { hash, randomUUID } from 'node:crypto';

export const newId = (): string => randomUUID();

/** UUIDv5 of chain coordinates, so that a reindex produces the same ids (docs/spec/api.md#lots-custody-recall). */
export function derivedId(kind: 'lot' | 'event' | 'transfer' | 'recall', ...coordinates: readonly (string | number | bigint)[]): string {
  const name = Buffer.from([kind, ...coordinates].join(':').toLowerCase());
  const d = hash('sha1', Buffer.concat([NAMESPACE, name]));
  const variant = ((Number.parseInt(d[16]!, 16) & 3) | 8).toString(16);
  return `${d.slice(0, 8)}-${d.slice(8, 12)}-5${d.slice(13, 16)}-${variant}${d.slice(17, 20)}-${d.slice(20, 32)}`;
}

const NAMESPACE = Buffer.from('6f0f1c5e6a9b5d0e9a530c1d6a6f1b7a', 'hex');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
