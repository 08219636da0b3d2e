import { type Actor, atPointer, hasRole, pointerNames } from '#kernel';

/**
 * Who reads an event's metadata whole: the organisation that recorded it, and the roles that docs/spec/api.md#identity lets read what
 * is restricted or for authorities. Every other member of the tenant reads what the process map calls public.
 */
export const readsAll = (actor: Actor, orgId: string | null): boolean =>
  hasRole(actor, 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN') || (orgId !== null && actor.orgId === orgId);

/** What an actor may read of an event. @param pointers that the process map calls public */
export function readablePart(
  actor: Actor,
  event: EventContent,
  pointers: readonly string[],
): Pick<EventContent, 'location' | 'metadata'> & { readonly documents: readonly Readonly<Record<string, unknown>>[] } {
  const { location, metadata } = event;
  // One that is sealed and was erased, or whose key is lost, is null.
  const documents = event.documents.filter(isObject);
  if (readsAll(actor, event.orgId)) return { location, metadata, documents };
  const shown = metadata && publicPart(metadata, pointers);
  const shownLocation = shown?.['location'];
  return {
    location: isObject(shownLocation) ? shownLocation : null,
    metadata: shown,
    documents: documents.filter((document) => document['visibility'] === 'public'),
  };
}

interface EventContent {
  readonly orgId: string | null;
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly (Readonly<Record<string, unknown>> | null)[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** The values at these RFC 6901 pointers, in an object of the same shape; arrays are taken whole or not at all. */
export function publicPart(metadata: Readonly<Record<string, unknown>>, pointers: readonly string[]): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  const copies = new Set<object>();
  for (const pointer of pointers) {
    const value = atPointer(metadata, pointer);
    if (value !== undefined && pointer !== '') place(shown, pointerNames(pointer), value, copies);
  }
  return shown;
}

/** @param copies what was copied before: copying it again for each pointer would take the square of their number */
function place(target: Record<string, unknown>, path: readonly string[], value: unknown, copies: Set<object>): void {
  const [key, ...rest] = path;
  if (rest.length === 0) {
    define(target, key!, value);
    return;
  }
  const inner = Object.hasOwn(target, key!) ? target[key!] : {};
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return;
  // A copy: what a shorter pointer showed already is the stored metadata itself.
  const copy = copies.has(inner) ? (inner as Record<string, unknown>) : { ...(inner as Record<string, unknown>) };
  copies.add(copy);
  place(copy, rest, value, copies);
  define(target, key!, copy);
}

/** A member named `__proto__` is data like any other. */
const define = (target: object, key: string, value: unknown): void => {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
};

/** Whether some role of the actor is not narrowed to processes. */
export const reachesEverything = (actor: Actor): boolean => actor.roles.some((role) => actor.roleScopes[role] === undefined);

/** The process types that an actor's roles reach, as LIKE patterns; null = every process. The same rule as `scopeCovers` of the kernel. */
export function scopePatterns(actor: Actor): readonly string[] | null {
  if (reachesEverything(actor)) return null;
  return [...new Set(actor.roles.flatMap((role) => actor.roleScopes[role] ?? []))].map(likePattern);
}

/** Only the first `*` of a glob is one; what LIKE would read as wild is escaped. */
const likePattern = (glob: string): string => glob.replaceAll(/[\\%_]/g, String.raw`\$&`).replace('*', '%');
