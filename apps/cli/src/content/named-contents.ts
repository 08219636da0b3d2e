import { cidFromDataHash } from '#content-storage';
import type { UnitOfWork } from '#persistence';

/** A content that a record refers to. */
export interface NamedContent {
  readonly cid: string;
  /** Slug. */
  readonly tenant: string;
  /** Describes the record, for the operator. */
  readonly of: string;
}

interface Row {
  readonly tenant: string;
  readonly key: string[];
  readonly cid: string | null;
  readonly data_hash: string | null;
  readonly of: string;
}

const BATCH = 1_000;
const NO_CONTENT = `0x${'0'.repeat(64)}`;

/** Each query reads in the order of the primary key; $1 and $2 are the key of the last row. */
const KINDS = [
  `select t.slug as tenant, array[m.tenant_id::text, m.name || ' ' || m.version] as key, m.cid, null as data_hash,
          'process map ' || m.name || ' ' || m.version as of
   from traceability.process_map m join identity.tenant t on t.id = m.tenant_id
   where (m.tenant_id::text, m.name || ' ' || m.version) > ($1, $2) order by m.tenant_id::text, m.name || ' ' || m.version limit ${BATCH}`,
  `select t.slug as tenant, array[e.tenant_id::text, e.id::text] as key, e.ipfs_cid as cid, null as data_hash,
          'event ' || e.id || coalesce(' of lot ' || e.output_tlc, '') as of
   from traceability.event e join identity.tenant t on t.id = e.tenant_id
   where (e.tenant_id, e.id) > (nullif($1, '')::uuid, nullif($2, '')::uuid) or $1 = '' order by e.tenant_id, e.id limit ${BATCH}`,
  `select t.slug as tenant, array[d.tenant_id::text, d.event_id || ' ' || d.data_hash] as key, null as cid, d.data_hash,
          'declaration of an error in event ' || d.event_id as of
   from traceability.error_declaration d join identity.tenant t on t.id = d.tenant_id
   where (d.tenant_id::text, d.event_id || ' ' || d.data_hash) > ($1, $2)
   order by d.tenant_id::text, d.event_id || ' ' || d.data_hash limit ${BATCH}`,
  `select t.slug as tenant, array[r.tenant_id::text, r.id::text] as key, null as cid, r.data_hash, 'notice of recall ' || r.id as of
   from recall.recall r join identity.tenant t on t.id = r.tenant_id
   where (r.tenant_id, r.id) > (nullif($1, '')::uuid, nullif($2, '')::uuid) or $1 = '' order by r.tenant_id, r.id limit ${BATCH}`,
];

/** Every content that the database refers to, one batch per transaction. */
export async function* namedContents(unitOfWork: UnitOfWork): AsyncGenerator<readonly NamedContent[]> {
  for (const kind of KINDS) {
    let place: readonly string[] | undefined = ['', ''];
    while (place) {
      const after: readonly string[] = place;
      const rows: readonly Row[] = await unitOfWork.asSystem((tx) => tx.sql<Row>(kind, after));
      yield rows.flatMap(contentOf);
      place = rows.length === BATCH ? rows.at(-1)!.key : undefined;
    }
  }
}

function contentOf({ cid, data_hash: hash, tenant, of }: Row): NamedContent[] {
  if (cid !== null) return [{ cid, tenant, of }];
  return hash === null || hash === NO_CONTENT ? [] : [{ cid: cidFromDataHash(hash), tenant, of }];
}
