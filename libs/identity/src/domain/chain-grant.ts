import { type Hex, type Role, keccakOf, scopeCovers } from '#kernel';
import type { RoleScopes } from './member.js';

/** The role constants of contracts/src/TenantLots.sol. */
export const CHAIN_ROLE = { ADMIN: 1, OPERATOR_ALL: 2, OPERATOR: 4, RECALLER: 8, RETURNS: 16 } as const;
export type ChainRole = keyof typeof CHAIN_ROLE;
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
  /** bytes32 ids, lower-case hex. Without OPERATOR they mean nothing. */
  readonly processIds: ReadonlySet<Hex>;
}

export const NO_GRANT: ChainGrant = { roles: 0, processIds: new Set() };

/**
 * What a member's roles and scopes amount to on chain (api-decisions §2, the row "on chain"). A role that records every process
 * becomes OPERATOR_ALL; a narrowed one OPERATOR with the processes that its globs cover in the maps published now. Auditors and
 * compliance officers record only what a map names them for, so they are always narrowed.
 */
export function wantedGrant(roles: readonly Role[], roleScopes: RoleScopes, processes: readonly ProcessRecorders[]): ChainGrant {
  let bits = roles.includes('TENANT_ADMIN') ? CHAIN_ROLE.ADMIN | CHAIN_ROLE.RECALLER : 0;
  const processIds = new Set<Hex>();
  for (const role of roles) {
    const scope = roleScopes[role];
    if (RECORDS_EVERYTHING.has(role) && (scope === undefined || scope.includes('*'))) bits |= CHAIN_ROLE.OPERATOR_ALL;
    else
      for (const { processType, roles: recorders } of processes)
        if (recorders.includes(role) && scopeCovers(scope, processType)) processIds.add(keccakOf(processType));
  }
  if (bits & CHAIN_ROLE.OPERATOR_ALL) return { roles: bits, processIds: new Set() };
  return { roles: processIds.size > 0 ? bits | CHAIN_ROLE.OPERATOR : bits, processIds };
}

const RECORDS_EVERYTHING: ReadonlySet<Role> = new Set<Role>(['OPERATOR', 'ADMIN', 'TENANT_ADMIN']);

/** RETURNS is granted to addresses, not by a member's role: it is left as it is. */
const ofMembers = (roles: number): number => roles & ~CHAIN_ROLE.RETURNS;

/** Whether the contract lets the account do what the service lets the member do, no less and no more. */
export function agrees(wanted: ChainGrant, standing: ChainGrant): boolean {
  if (ofMembers(standing.roles) !== wanted.roles) return false;
  return !(wanted.roles & CHAIN_ROLE.OPERATOR) || sameSet(wanted.processIds, standing.processIds);
}

const sameSet = (one: ReadonlySet<Hex>, other: ReadonlySet<Hex>): boolean =>
  one.size === other.size && [...one].every((id) => other.has(id));

/** Calls of the tenant's contract, in the order in which they should land. */
export type GrantCall =
  | { readonly method: 'setRoles'; readonly args: readonly [account: string, roles: bigint] }
  | { readonly method: 'setProcessScope'; readonly args: readonly [account: string, processIds: readonly Hex[], allowed: boolean] };

/** 24,500 gas a process, and 16,777,216 a transaction (EIP-7825). */
const MOST_PROCESSES = 500;

/** What to sign so that the account's rights become those wanted; empty when they are. Narrowing comes before widening. */
export function grantCalls(account: string, wanted: ChainGrant, standing: ChainGrant): readonly GrantCall[] {
  const scoped = (wanted.roles & CHAIN_ROLE.OPERATOR) !== 0;
  // Without OPERATOR leftovers mean nothing; they go before OPERATOR comes back.
  const surplus = scoped ? [...standing.processIds].filter((id) => !wanted.processIds.has(id)) : [];
  const missing = scoped ? [...wanted.processIds].filter((id) => !standing.processIds.has(id)) : [];
  const roles = wanted.roles | (standing.roles & CHAIN_ROLE.RETURNS);
  return [
    ...scopeCalls(account, surplus, false),
    ...(roles === standing.roles ? [] : [{ method: 'setRoles' as const, args: [account, BigInt(roles)] as const }]),
    ...scopeCalls(account, missing, true),
  ];
}

const scopeCalls = (account: string, ids: readonly Hex[], allowed: boolean): GrantCall[] =>
  Array.from({ length: Math.ceil(ids.length / MOST_PROCESSES) }, (_, i) => ({
    method: 'setProcessScope' as const,
    args: [account, ids.slice(i * MOST_PROCESSES, (i + 1) * MOST_PROCESSES).toSorted(), allowed] as const,
  }));

export const chainRoleNames = (roles: number): ChainRole[] => CHAIN_ROLES.filter((name) => roles & CHAIN_ROLE[name]);
