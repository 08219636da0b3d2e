import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type CopyRule, persistenceCopies } from '#persistence';
import { contexts } from '../../apps/runtime/src/index.js';

/** Columns that can hold a text, of all migrations: `schema.table.column`. */
function columnsIn(sql: string): string[] {
  const created = [...sql.matchAll(/^create table ([a-z_]+\.[a-z_]+) \(([\s\S]*?)^\)/gm)].flatMap(([, table, body]) =>
    [...body!.matchAll(/^\s+([a-z_0-9]+) (?:text|jsonb|bytea)\b/gm)].map(([, column]) => `${table}.${column}`),
  );
  const added = [...sql.matchAll(/^alter table ([a-z_]+\.[a-z_]+)\s+add column ([a-z_0-9]+) (?:text|jsonb|bytea)\b/gm)];
  return [...created, ...added.map(([, table, column]) => `${table}.${column}`)];
}

const columns = readdirSync('libs').flatMap((lib) =>
  readdirSync(`libs/${lib}/src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .flatMap((name) => columnsIn(readFileSync(`libs/${lib}/src/${name}`, 'utf8'))),
);

/** Of a table of which an erasure only deletes rows, all columns. */
const reachedBy = (rule: CopyRule): string[] =>
  'key' in rule
    ? Object.keys(rule.columns).map((column) => `${rule.table}.${column}`)
    : columns.filter((column) => !isBlanked(rule.table) && column.startsWith(`${rule.table}.`));

const isBlanked = (table: string): boolean => rules.some((rule) => 'key' in rule && rule.table === table);

const rules = [...contexts.flatMap(({ copies = [] }) => copies), ...persistenceCopies];

/** What has no value of a content, by the reason: tables, and columns of tables of which others are reached. */
const UNTOUCHED: Readonly<Record<string, readonly string[]>> = {
  'the event itself: `EraseContents` writes the row again': [
    'traceability.event: metadata location documents warnings before_landing erased',
  ],
  'sealed, and closed when its keys are destroyed': ['content.block', 'keys.content_key', 'keys.tenant_key'],
  'ids, hashes and paths, never a value': ['keys.erasure', 'content.unsettled', 'documents.part'],
  'hashes, addresses, ids and words of the chain and of its transactions': [
    ...['chain.account_factory', 'chain.block', 'chain.cursor', 'chain.deployment', 'traceability.account_roles', 'transactions.landed'],
    ...['transactions.relay', 'transactions.sponsor', 'transactions.sponsor_transaction', 'transactions.tracked'],
    ...['identity.account_call', 'identity.chain_process_scope', 'identity.chain_role', 'identity.tenant_contract', 'identity.wallet_move'],
    ...['recall.acknowledgement', 'recall.prepared_notice', 'recall.propagation_end'],
    'recall.recalled_lot: lifted_by lifted_tx lifted_prepared_sender',
    'custody.hand_over: data_hash time_zone_offset',
    'custody.transfer: id contract status offered_from offered_to offered_tx closed_from closed_to closed_tx offered_note closed_note',
    'custody.transfer: offered_handed_offset closed_handed_offset short_reason',
    'traceability.event: signed_by paid_by',
    'recall.hold: source held_by released_by tlc_hash',
    'recall.recall: contract data_hash recall_class depth propagation recalled_by tx_hash prepared_sender',
  ],
  'accounts, credentials and settings, which their owners and administrators change': [
    ...['identity.api_key', 'identity.app_user', 'identity.invitation', 'identity.mail_sent', 'identity.member', 'identity.organisation'],
    ...['identity.passkey', 'identity.passkey_account', 'identity.passkey_challenge', 'identity.password_reset', 'identity.revocation'],
    ...['identity.session', 'identity.site', 'identity.siwe_nonce', 'identity.tenant', 'identity.wallet'],
    ...[
      'passports.setting',
      'reporting.alert_limit',
      'reporting.notice_choice',
      'traceability.tenant_rules',
      'webhooks.consumer',
      'webhooks.subscription',
    ],
    'interchange.import_mapping: created_by',
    'interchange.epcis_query: created_by',
    'interchange.epcis_subscription: query_name schedule origin created_by',
    'passports.access_grant: passport_id token_hash kind access_class created_by',
    'passports.registry_setting: url back_up_url certificate_chain seal_key changed_by',
    'passports.link: anchor link_type media_type languages changed_by',
  ],
  'the audit log, which nobody may change: details of grants, withdrawals and links stay for AUDIT_KEPT_DAYS (how-to says so)': [
    'identity.audit_entry',
  ],
  'in the clear for everybody by design: codes, words of a process map, and process maps themselves': [
    ...['traceability.event_reservation', 'traceability.generated_code', 'traceability.lot', 'traceability.process_map'],
    ...['traceability.process_type', 'traceability.edge', 'traceability.retraction', 'traceability.error_declaration', 'recall.drill'],
    'traceability.event: chain_event_id status process_type process_id process_label process_map_name process_map_version process_map_cid kind',
    'traceability.event: event_time_zone_offset actor_address org_id inputs output_tlc output_custodian outputs kde ipfs_cid data_hash expected',
    'traceability.event: calldata prepared_by block_hash tx_hash contract_address content_state error_declaration void_tx_hash declared_reason',
    'traceability.event: before_taken',
    'passports.passport: id contract tlc key gtin serial granularity link content_hash withdrawn_by check_result',
    'passports.registration: passport_id action state entry seal registration_id reason_code reason',
    'passports.version: passport_id hash contract tx_hash actor org_id',
    'interchange.captured_context',
    'interchange.epcis_name: role key audience',
    'interchange.epcis_event: key audience org_id process_type event_id type action biz_step disposition read_point biz_location',
  ],
  'figures, and words of codes, processes and organisations': [
    ...['alert_cursor', 'draw_day', 'draw_fact', 'event_day', 'event_fact', 'fact_cursor', 'pointer_tally', 'stock_cell'].map(
      (table) => `reporting.${table}`,
    ),
    ...['transfer_cursor', 'transfer_day', 'transfer_fact'].map((table) => `reporting.${table}`),
    'reporting.alert: id source type severity subject_kind subject_id tlc process_type threshold group_name org_ids acknowledged_by',
    'reporting.dated_document: type',
    'reporting.document: type org_id process_type valid_to',
    'reporting.document_use: org_id process_type valid_from valid_to visibility',
    'reporting.pointer: id kind subject_kind subject_id tlc process_type status org_ids org_id',
  ],
  'ids, states and words of the service': [
    'documents.document: visibility media_type type uploaded_by',
    'http.answer: principal_id route key fingerprint content_type',
    'interchange.epcis_pending',
    'interchange.capture_job: captured_by org_id error_behaviour',
    'interchange.import: format task state process_type counts created_by',
    'persistence.outbox: topic dedup_key traceparent',
    ...['persistence.outbox_key', 'persistence.span_origin'],
    'reporting.notice_mail: state error',
    'webhooks.delivery: event url status',
    'webhooks.message: topic traceparent',
  ],
};

describe('every column that can hold a text', () => {
  const reached = new Set(rules.flatMap(reachedBy));
  const excepted = Object.values(UNTOUCHED)
    .flat()
    .flatMap((text) => {
      const [table, names] = text.split(': ') as [string, string?];
      return names === undefined
        ? columns.filter((column) => column.startsWith(`${table}.`))
        : names.split(' ').map((name) => `${table}.${name}`);
    });

  it('is reached by an erasure, or holds nothing of a content', () => {
    expect(columns.length).toBeGreaterThan(400);
    const known = new Set(excepted);
    expect(columns.filter((column) => !reached.has(column) && !known.has(column))).toEqual([]);
  });

  it('has no exception that is not needed, and none for two reasons', () => {
    expect(excepted.filter((column) => reached.has(column) || !columns.includes(column))).toEqual([]);
    expect(excepted).toEqual([...new Set(excepted)]);
  });

  it('is a column, where a rule names it', () => {
    const named = rules.flatMap((rule) => ('key' in rule ? reachedBy(rule) : []));
    expect(named.filter((column) => !columns.includes(column))).toEqual([]);
  });

  it('is seen here, in a new table and an added one', () => {
    expect(
      columnsIn('create table a.b (\n  id uuid,\n  note text not null, -- x\n  x jsonb\n);\nalter table a.b add column more text;'),
    ).toEqual([...['a.b.note', 'a.b.x', 'a.b.more']]);
  });
});
