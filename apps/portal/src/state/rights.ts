import { computed } from '@preact/signals';
import { me } from './session';

type Scopes = Readonly<Record<string, unknown>>;
interface Rights {
  readonly roles: readonly string[];
  readonly roleScopes: Scopes;
}

const NOBODY: Rights = { roles: [], roleScopes: {} };
const mine = (): Rights => me.value ?? NOBODY;
const scopeOf = ({ roleScopes }: Rights, role: string): readonly string[] | undefined => roleScopes[role] as readonly string[] | undefined;
const isUnlimited = (scope: readonly string[] | undefined): boolean => scope === undefined || scope.includes('*');

/** The service asks the same (docs/spec/reliability.md#delegation); nobody is led to what it refuses. */
export const coversEveryProcess = (...any: readonly string[]): boolean =>
  any.some((role) => mine().roles.includes(role) && isUnlimited(scopeOf(mine(), role)));

/** An administrator of a part manages nothing of the whole tenant. */
export const administersAll = computed(() => coversEveryProcess('TENANT_ADMIN'));

/** In which the person may give this role: as an administrator, and as its holder. */
const scopesFor = (role: string): readonly (readonly string[] | undefined)[] =>
  [...new Set(['TENANT_ADMIN', role])].filter((held) => mine().roles.includes(held)).map((held) => scopeOf(mine(), held));

export const givesEveryProcess = (role: string): boolean => scopesFor(role).some(isUnlimited);

/** @param process its key, or a pattern with one * */
export const gives = (role: string, process: string): boolean =>
  scopesFor(role).some((scope) => scope === undefined || scope.some((outer) => contains(outer, process)));

/** Whether somebody with these rights may do no more than the person: only then can the person change them or take over from them. */
export const isWithinMine = (of: Rights): boolean =>
  of.roles.every((role) => scopeOf(of, role)?.every((process) => gives(role, process)) ?? givesEveryProcess(role));

function contains(outer: string, inner: string): boolean {
  const [star, innerStar] = [outer.indexOf('*'), inner.indexOf('*')];
  if (star < 0) return outer === inner;
  const [head, tail] = [outer.slice(0, star), outer.slice(star + 1)];
  if (innerStar < 0) return inner.length >= head.length + tail.length && inner.startsWith(head) && inner.endsWith(tail);
  return inner.slice(0, innerStar).startsWith(head) && inner.slice(innerStar + 1).endsWith(tail);
}
