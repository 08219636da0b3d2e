import { LotKey, keccakOf, readOwnLotUri } from '#kernel';
import type { TenantTx } from '#persistence';
import { type Parameter, type StateAsOf, NOW, StateSql, parametersOf } from './lot-state.queries.js';

/** How a lot is asked for: its code or the IRI of its key, and what tells it from others with the code. */
export interface LotCode {
  readonly tlc: string;
  /** 14 digits. */
  readonly gtin?: string | undefined;
  readonly serial?: string | undefined;
  /** EIP-55: which of several parts. */
  readonly custodian?: string | undefined;
}

export interface Candidate {
  readonly tokenId: number;
  readonly key: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  /** Of a part: the lot that it was split from. */
  readonly splitFrom: number | null;
  /** EIP-55. */
  readonly custodian: string;
}

/** At most so many are listed. */
const MOST_CANDIDATES = 100;
/** A key is free again after a void, and taken along by a migration. */
const GONE = "coalesce(l.retire_reason in ('voided', 'migrated'), false)";

/** Whether it names one lot as exports do: by a Digital Link, or by a name of this service. */
export const isLotUri = (code: string): boolean => LotKey.read(code) !== null || readOwnLotUri(code) !== null;

/** Whether a lot has a code, or the key that an IRI names. A name in another tenant's part of this service is that of no lot here. */
export function codeIs(table: string, code: string, parameter: Parameter): string {
  const key = LotKey.read(code);
  if (key) return `${table}.tlc_hash = ${parameter(key.hash)}`;
  const own = readOwnLotUri(code);
  if (!own) return `${table}.tlc = ${parameter(code)}`;
  const here = `(select t.slug from identity.tenant_v1 t where t.tenant_id = $1)`;
  return `${table}.tlc_hash = ${parameter(keccakOf(own.code))} and ${here} = ${parameter(own.tenant)}`;
}

interface Row extends Candidate {
  readonly gone: boolean;
  /** Used up or retired. */
  readonly spent: boolean;
}

/**
 * The lots that are meant: one, none, or several: with different keys, or parts of one lot. Under one key the lot that lives wins, then the
 * newest; of a lot with parts whatever of it is left, or the lot itself where nothing is. With a GTIN and without a serial number the lot of that
 * number comes before its single items.
 */
export async function lotsByCode(tx: TenantTx, asked: LotCode, at: StateAsOf = NOW): Promise<readonly Candidate[]> {
  const { tlc, gtin, serial, custodian } = asked;
  const { values, parameter } = parametersOf(tx);
  const { current } = new StateSql(at, parameter);
  const conditions = [
    codeIs('l', tlc, parameter),
    ...(gtin === undefined ? [] : [`l.gtin = ${parameter(gtin)}`]),
    ...(serial === undefined ? [] : [`l.serial = ${parameter(serial)}`]),
    ...(custodian === undefined ? [] : [`l.custodian = ${parameter(custodian)}`]),
  ].join(' and ');
  const rows = await tx.sql<Row>(
    `select l.token_id::float8 as "tokenId", l.key, l.gtin, l.serial, l.split_from::float8 as "splitFrom", l.custodian, ${GONE} as gone,
       l.used_up or l.retired_at is not null as spent
     from traceability.lot l where l.tenant_id = $1 and ${current} and ${conditions}
     order by gone, spent, l.token_id desc limit ${MOST_CANDIDATES}`,
    values,
  );
  const byKey = new Map<string, Row[]>();
  for (const row of rows) byKey.set(row.key, [...(byKey.get(row.key) ?? []), row]);
  const keys = [...byKey.values()].map(meantOf).toSorted(([a], [b]) => inOrder(a!, b!));
  const alive = keys.filter(([lot]) => !lot!.gone);
  if (alive.length === 0) return keys.slice(0, 1).flat().map(candidateOf);
  return (gtin !== undefined && alive[0]![0]!.serial === null ? alive[0]! : alive.flat()).map(candidateOf);
}

/** @param rows of one key, those that live first */
function meantOf(rows: readonly Row[]): readonly Row[] {
  const alive = rows.filter(({ gone }) => !gone);
  if (!alive.some(({ splitFrom }) => splitFrom !== null)) return (alive.length > 0 ? alive : rows).toSorted(newestFirst).slice(0, 1);
  const left = alive.filter(({ spent }) => !spent);
  return left.length > 0 ? left.toSorted(newestFirst).toReversed() : [alive.find(({ splitFrom }) => splitFrom === null) ?? alive[0]!];
}

const newestFirst = (a: Row, b: Row): number => b.tokenId - a.tokenId;
const inOrder = (a: Row, b: Row): number =>
  Number(a.gone) - Number(b.gone) || Number(a.serial !== null) - Number(b.serial !== null) || newestFirst(a, b);

const candidateOf = ({ tokenId, key, gtin, serial, splitFrom, custodian }: Candidate): Candidate => ({
  ...{ tokenId, key, gtin, serial },
  ...{ splitFrom, custodian },
});
