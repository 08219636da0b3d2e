import type { Actor } from '#kernel';

/** Whether some role of the actor is not narrowed to processes. */
export const reachesEverything = (actor: Actor): boolean => actor.roles.some((role) => actor.roleScopes[role] === undefined);

/** The process types that an actor's roles reach, as LIKE patterns; null = every process. The same rule as `scopeCovers` of the kernel. */
export function scopePatterns(actor: Actor): readonly string[] | null {
  if (reachesEverything(actor)) return null;
  return [...new Set(actor.roles.flatMap((role) => actor.roleScopes[role] ?? []))].map(likePattern);
}

/** Only the first `*` of a glob is one; what LIKE would read as wild is escaped. */
const likePattern = (glob: string): string => glob.replaceAll(/[\\%_]/g, String.raw`\$&`).replace('*', '%');
