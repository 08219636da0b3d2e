import { LotKey, keccakOf, readOwnLotUri } from '#kernel';
import type { TenantTx } from '#persistence';
import { type Parameter, type StateAsOf, NOW, StateSql, parametersOf } from './lot-state.queries.js';

/** How a lot is asked for: its code or the IRI of its key, and what tells it from others with the code. */
export interface LotCode {
  readonly tlc: string;
  /** 14 digits. */
  readonly gtin?: string | undefined;
  readonly serial?: string | undefined;
}

export interface Candidate {
  readonly tokenId: number;
  readonly key: string;
  readonly gtin: string | null;
  readonly serial: string | null;
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

/**
 * The lots that are meant: one, none, or several with different keys. Under one key the lot that lives wins, then the newest. With a GTIN and
 * without a serial number the lot of that number comes before its single items.
 */
export async function lotsByCode(tx: TenantTx, { tlc, gtin, serial }: LotCode, at: StateAsOf = NOW): Promise<readonly Candidate[]> {
  const { values, parameter } = parametersOf(tx);
  const { current } = new StateSql(at, parameter);
  const asked = [
    codeIs('l', tlc, parameter),
    ...(gtin === undefined ? [] : [`l.gtin = ${parameter(gtin)}`]),
    ...(serial === undefined ? [] : [`l.serial = ${parameter(serial)}`]),
  ].join(' and ');
  const found = await tx.sql<Candidate & { readonly gone: boolean }>(
    `select l.token_id::float8 as "tokenId", l.key, l.gtin, l.serial, l.gone from (
       select distinct on (l.key) l.token_id, l.key, l.gtin, l.serial, ${GONE} as gone from traceability.lot l
       where l.tenant_id = $1 and ${current} and ${asked} order by l.key, ${GONE}, l.token_id desc) l
     order by l.gone, l.serial is not null, l.token_id desc limit ${MOST_CANDIDATES}`,
    values,
  );
  const alive = found.filter(({ gone }) => !gone).map(candidateOf);
  if (alive.length === 0) return found.slice(0, 1).map(candidateOf);
  return gtin !== undefined && alive[0]!.serial === null ? alive.slice(0, 1) : alive;
}

const candidateOf = ({ tokenId, key, gtin, serial }: Candidate): Candidate => ({ tokenId, key, gtin, serial });
