import { describe, expect, it } from '@jest/globals';
import { keccakOf } from '#kernel';
import {
  CHAIN_ROLE,
  type ChainGrant,
  NO_GRANT,
  type ProcessRecorders,
  agrees,
  chainRoleNames,
  grantCalls,
  wantedGrant,
} from './chain-grant.js';

const { ADMIN, OPERATOR_ALL, OPERATOR, RECALLER, RETURNS } = CHAIN_ROLE;
const everyone = ['OPERATOR', 'ADMIN', 'TENANT_ADMIN'] as const;
const maps: readonly ProcessRecorders[] = [
  { processType: 'wool_shearing', roles: everyone },
  { processType: 'wool_scouring', roles: everyone },
  { processType: 'audit_visit', roles: ['AUDITOR'] },
  { processType: 'destruction', roles: ['COMPLIANCE', 'OPERATOR'] },
];
const ids = (...keys: string[]): ChainGrant['processIds'] => new Set(keys.map(keccakOf));
const ACCOUNT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('what a role amounts to on chain', () => {
  it.each([
    ['an operator without scopes', ['OPERATOR'], {}, { roles: OPERATOR_ALL, processIds: ids() }],
    ['an operator of wool', ['OPERATOR'], { OPERATOR: ['wool_*'] }, { roles: OPERATOR, processIds: ids('wool_shearing', 'wool_scouring') }],
    ['an operator of nothing', ['OPERATOR'], { OPERATOR: [] }, NO_GRANT],
    ['an operator of a process that no map has', ['OPERATOR'], { OPERATOR: ['felting'] }, NO_GRANT],
    ['an organisation admin', ['ADMIN'], {}, { roles: OPERATOR_ALL, processIds: ids() }],
    ['an auditor, whom a map names', ['AUDITOR'], {}, { roles: OPERATOR, processIds: ids('audit_visit') }],
    ['an auditor, whose scope excludes it', ['AUDITOR'], { AUDITOR: ['wool_*'] }, NO_GRANT],
    ['a compliance officer', ['COMPLIANCE'], {}, { roles: OPERATOR, processIds: ids('destruction') }],
    ['a tenant admin', ['TENANT_ADMIN'], {}, { roles: ADMIN | RECALLER | OPERATOR_ALL, processIds: ids() }],
    ['a tenant admin of no process', ['TENANT_ADMIN'], { TENANT_ADMIN: [] }, { roles: 0, processIds: ids() }],
    ['nobody', [], {}, NO_GRANT],
  ] as const)('%s', (_, roles, scopes, expected) => {
    expect(wantedGrant(roles, scopes, maps)).toEqual(expected);
  });

  it('joins the scopes of several roles', () => {
    const wanted = wantedGrant(['OPERATOR', 'AUDITOR'], { OPERATOR: ['wool_shearing'] }, maps);
    expect(wanted).toEqual({ roles: OPERATOR, processIds: ids('wool_shearing', 'audit_visit') });
  });
});

describe('the calls that make the chain agree', () => {
  const wool: ChainGrant = { roles: OPERATOR, processIds: ids('wool_shearing', 'wool_scouring') };

  it('grants a role and its processes in one transaction each', () => {
    expect(grantCalls(ACCOUNT, wool, NO_GRANT)).toEqual([
      { method: 'setRoles', args: [ACCOUNT, BigInt(OPERATOR)] },
      { method: 'setProcessScope', args: [ACCOUNT, [...wool.processIds].toSorted(), true] },
    ]);
  });

  it('says nothing where they agree', () => {
    expect(agrees(wool, wool)).toBe(true);
    expect(grantCalls(ACCOUNT, wool, wool)).toEqual([]);
  });

  it('adds and takes only the difference when a map changes the set', () => {
    const current: ChainGrant = { roles: OPERATOR, processIds: ids('wool_shearing', 'felting') };
    expect(agrees(wool, current)).toBe(false);
    expect(grantCalls(ACCOUNT, wool, current)).toEqual([
      { method: 'setProcessScope', args: [ACCOUNT, [keccakOf('felting')], false] },
      { method: 'setProcessScope', args: [ACCOUNT, [keccakOf('wool_scouring')], true] },
    ]);
  });

  it('leaves the right to take returns as it is', () => {
    const current: ChainGrant = { roles: OPERATOR_ALL | RETURNS, processIds: ids() };
    expect(agrees({ roles: OPERATOR_ALL, processIds: ids() }, current)).toBe(true);
    expect(grantCalls(ACCOUNT, NO_GRANT, current)).toEqual([{ method: 'setRoles', args: [ACCOUNT, BigInt(RETURNS)] }]);
  });

  it('finds a right that the service does not give', () => {
    expect(agrees(NO_GRANT, { roles: OPERATOR_ALL, processIds: ids() })).toBe(false);
  });

  it('splits what one transaction does not take', () => {
    const many: ChainGrant = { roles: OPERATOR, processIds: ids(...Array.from({ length: 501 }, (_, i) => `p${i}`)) };
    expect(grantCalls(ACCOUNT, many, NO_GRANT).map(({ args }) => (Array.isArray(args[1]) ? args[1].length : 'roles'))).toEqual([
      'roles',
      500,
      1,
    ]);
  });

  it('names the roles of an account', () => {
    expect(chainRoleNames(ADMIN | OPERATOR_ALL | RECALLER)).toEqual(['ADMIN', 'OPERATOR_ALL', 'RECALLER']);
  });
});
