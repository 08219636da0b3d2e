import { type Actor, atPointer, hasRole } from '#kernel';

/**
 * Who reads an event's metadata whole: the organisation that recorded it, and the roles that api-decisions §2 lets read what
 * is restricted or for authorities. Every other member of the tenant reads what the process map calls public.
 */
export const readsAll = (actor: Actor, orgId: string | null): boolean =>
  hasRole(actor, 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN') || (orgId !== null && actor.orgId === orgId);

/** What an event says, as far as an actor may read it. @param pointers that the process map calls public */
export function readablePart(
  actor: Actor,
  event: Stated,
  pointers: readonly string[],
): Pick<Stated, 'location' | 'metadata' | 'documents'> {
  const { location, metadata, documents } = event;
  if (readsAll(actor, event.orgId)) return { location, metadata, documents };
  const shown = metadata && publicPart(metadata, pointers);
  const place = shown?.['location'];
  return {
    location: isObject(place) ? place : null,
    metadata: shown,
    documents: documents.filter((document) => document['visibility'] === 'public'),
  };
}

interface Stated {
  readonly orgId: string | null;
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** The values at these RFC 6901 pointers, in an object of the same shape; arrays are taken whole or not at all. */
export function publicPart(metadata: Readonly<Record<string, unknown>>, pointers: readonly string[]): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const pointer of pointers) {
    const value = atPointer(metadata, pointer);
    if (value !== undefined && pointer !== '') place(shown, pointer.slice(1).split('/').map(unescape), value);
  }
  return shown;
}

const unescape = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (rest.length === 0) {
    define(target, key!, value);
    return;
  }
  const inner = Object.hasOwn(target, key!) ? target[key!] : {};
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return;
  // A copy: what a shorter pointer showed already is the stored metadata itself.
  const copy = { ...(inner as Record<string, unknown>) };
  place(copy, rest, value);
  define(target, key!, copy);
}

/** A member named `__proto__` is data like any other. */
const define = (target: object, key: string, value: unknown): void => {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
};
