import { randomUUID } from 'node:crypto';
import { v5 } from 'uuid';

export const newId = (): string => randomUUID();

/** UUIDv5 of chain coordinates, so that a reindex gives the same rows (api-decisions §4). */
export const derivedId = (kind: 'lot' | 'event' | 'transfer' | 'recall', ...coordinates: readonly (string | number | bigint)[]): string =>
  v5([kind, ...coordinates].join(':').toLowerCase(), NAMESPACE);

const NAMESPACE = '6f0f1c5e-6a9b-5d0e-9a53-0c1d6a6f1b7a';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
