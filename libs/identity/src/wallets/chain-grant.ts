import { type Hex, type Role, keccakOf, scopeCovers } from '#kernel';
import type { RoleScopes } from '../access/grants.js';

/** The role constants of contracts/src/TenantLots.sol. */
export const CHAIN_ROLE = { ADMIN: 1, OPERATOR_ALL: 2, OPERATOR: 4, RECALLER: 8, RETURNS: 16 } as const;
type ChainRole = keyof typeof CHAIN_ROLE;
const CHAIN_ROLES = Object.keys(CHAIN_ROLE) as ChainRole[];

/** A process that the tenant's published maps have. */
export interface ProcessRecorders {
  readonly processType: string;
  /** Who may record it: the map's `requiredRoles`. */
  readonly roles: readonly Role[];
}

/** Rights of one account in the tenant's contract. */
export interface ChainGrant {
  /** A sum of role constants. */
  readonly roles: number;
  /** bytes32 ids, lower-case hex. They have no effect without OPERATOR. */
  readonly processIds: ReadonlySet<Hex>;
}

export const NO_GRANT: ChainGrant = { roles: 0, processIds: new Set() };

/**
 * The rights on chain that a member's roles and scopes require (docs/spec/api.md#identity, the row "on chain"). A role that records
 * every process needs OPERATOR_ALL; a role with scopes needs OPERATOR with the processes of the published maps that its globs match.
 * Auditors and compliance officers record only what a map names them for, so they always get OPERATOR.
 */
export function wantedGrant(roles: readonly Role[], roleScopes: RoleScopes, processes: readonly ProcessRecorders[]): ChainGrant {
  // The contract's ADMIN and RECALLER know no processes: only an administrator of all of them gets these.
  let bits = roles.includes('TENANT_ADMIN') && isUnlimited(roleScopes.TENANT_ADMIN) ? CHAIN_ROLE.ADMIN | CHAIN_ROLE.RECALLER : 0;
  const processIds = new Set<Hex>();
  for (const role of roles) {
    const scope = roleScopes[role];
    if (RECORDS_EVERYTHING.has(role) && isUnlimited(scope)) bits |= CHAIN_ROLE.OPERATOR_ALL;
    else
      for (const { processType, roles: recorders } of processes)
        if (recorders.includes(role) && scopeCovers(scope, processType)) processIds.add(keccakOf(processType));
  }
  if (bits & CHAIN_ROLE.OPERATOR_ALL) return { roles: bits, processIds: new Set() };
  return { roles: processIds.size > 0 ? bits | CHAIN_ROLE.OPERATOR : bits, processIds };
}

const isUnlimited = (scope: readonly string[] | undefined): boolean => scope === undefined || scope.includes('*');

const RECORDS_EVERYTHING: ReadonlySet<Role> = new Set<Role>(['OPERATOR', 'ADMIN', 'TENANT_ADMIN']);

/** RETURNS is granted to addresses, not by a member's role, so it does not change here. */
const ofMembers = (roles: number): number => roles & ~CHAIN_ROLE.RETURNS;

/** Whether the contract lets the account do exactly what the service lets the member do. */
export function agrees(wanted: ChainGrant, current: ChainGrant): boolean {
  if (ofMembers(current.roles) !== wanted.roles) return false;
  return !(wanted.roles & CHAIN_ROLE.OPERATOR) || sameSet(wanted.processIds, current.processIds);
}

const sameSet = (one: ReadonlySet<Hex>, other: ReadonlySet<Hex>): boolean =>
  one.size === other.size && [...one].every((id) => other.has(id));

/** Calls of the tenant's contract, in the order in which to send them. */
type GrantCall =
  | { readonly method: 'setRoles'; readonly args: readonly [account: string, roles: bigint] }
  | { readonly method: 'setProcessScope'; readonly args: readonly [account: string, processIds: readonly Hex[], allowed: boolean] };

/** 24,500 gas a process, and 16,777,216 a transaction (EIP-7825). */
const MOST_PROCESSES = 500;

/** Calls that turn the current rights of the account into the wanted ones; empty when they are equal. Rights are removed before others are added. */
export function grantCalls(account: string, wanted: ChainGrant, current: ChainGrant): readonly GrantCall[] {
  const scoped = (wanted.roles & CHAIN_ROLE.OPERATOR) !== 0;
  // Scopes have no effect without OPERATOR. Leftovers are removed before OPERATOR is granted again.
  const surplus = scoped ? [...current.processIds].filter((id) => !wanted.processIds.has(id)) : [];
  const missing = scoped ? [...wanted.processIds].filter((id) => !current.processIds.has(id)) : [];
  const roles = wanted.roles | (current.roles & CHAIN_ROLE.RETURNS);
  return [
    ...scopeCalls(account, surplus, false),
    ...(roles === current.roles ? [] : [{ method: 'setRoles' as const, args: [account, BigInt(roles)] as const }]),
    ...scopeCalls(account, missing, true),
  ];
}

const scopeCalls = (account: string, ids: readonly Hex[], allowed: boolean): GrantCall[] =>
  Array.from({ length: Math.ceil(ids.length / MOST_PROCESSES) }, (_, i) => ({
    method: 'setProcessScope' as const,
    args: [account, ids.slice(i * MOST_PROCESSES, (i + 1) * MOST_PROCESSES).toSorted(), allowed] as const,
  }));

export const chainRoleNames = (roles: number): ChainRole[] => CHAIN_ROLES.filter((name) => roles & CHAIN_ROLE[name]);
