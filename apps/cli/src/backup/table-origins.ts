/**
 * Where the rows of a table come from again when the database is lost:
 * `kept` from a dump alone; `chain` from the chain and the content store, by the indexer; `derived` from other tables, by those who go
 * around; `passing` from nowhere, and nobody misses them.
 */
export type Origin = 'kept' | 'chain' | 'derived' | 'passing';

export interface TableOrigin {
  readonly origin: Origin;
  /** What is in it, and what is gone with it where its rows do not come again as they were. */
  readonly says: string;
}

const kept = (says: string): TableOrigin => ({ origin: 'kept', says });
const chain = (says: string): TableOrigin => ({ origin: 'chain', says });
const derived = (says: string): TableOrigin => ({ origin: 'derived', says });
const passing = (says: string): TableOrigin => ({ origin: 'passing', says });

/** Every table of the service. A test compares it with the migrated database: whoever makes a table says here where it comes from. */
export const TABLE_ORIGINS: Readonly<Record<string, TableOrigin>> = {
  'chain.block': chain('the last blocks that were projected; a cursor without any has the chain projected anew'),
  'chain.cursor': kept('that there was a projection, of which chain'),
  'chain.deployment': kept('the registry, where `CHAIN_REGISTRY` does not name it'),
  'content.block': kept('the contents, where they are stored in the database'),
  'custody.transfer': chain('who offered what to whom, and how it ended'),
  'http.answer': kept('answers of the last 24 hours to requests with an `Idempotency-Key`'),
  'identity.api_key': kept('API keys, as hashes'),
  'identity.app_user': kept('people and the hashes of their passwords'),
  'identity.audit_entry': kept('what happened to the security of tenants'),
  'identity.chain_process_scope': chain('for which processes an account may record'),
  'identity.chain_role': chain('what an account may do in the contract'),
  'identity.invitation': passing('one-time links; who did not use theirs is sent another'),
  'identity.member': kept('who belongs to which tenant, and may what'),
  'identity.organisation': kept('organisations and their profiles'),
  'identity.password_reset': passing('one-time links of an hour'),
  'identity.revocation': passing('what was revoked in the last seconds'),
  'identity.session': passing('who is signed in; everybody signs in again'),
  'identity.site': kept('places of organisations'),
  'identity.siwe_nonce': passing('nonces of five minutes'),
  'identity.tenant': kept('tenants; the chain knows the hash of a slug only'),
  'identity.tenant_contract': chain('the contracts that the registry made'),
  'identity.usage': kept('what tenants used of their quotas'),
  'identity.wallet': kept('whose an address is'),
  'identity.wallet_move': kept('who was bound to an address before it moved: taken back with the projection, and done again with it'),
  'interchange.captured_event': kept('which captured EPCIS events were prepared already'),
  'passports.passport': kept('the addresses that are printed on goods: random, so nothing else has them'),
  'passports.setting': kept('whether and how a tenant shows passports'),
  'persistence.migration': kept('what the database was migrated to'),
  'persistence.outbox': kept('which topics went out, by key: without it all of them go out again'),
  'persistence.trace_origin': passing('traces that requests of the last week left'),
  'recall.drill': kept('mock recalls and their reports'),
  'recall.hold': kept('why lots are stopped, and who let them go'),
  'recall.propagation_end': kept('recalls whose holds somebody ended'),
  'recall.recall': chain('recalls, with the words of their notices'),
  'recall.recalled_lot': chain('the lots that they flagged'),
  'reports.alert': kept('alerts: since when they stand, who took note of them, what is muted'),
  'reports.alert_limit': kept('the limits that a tenant set'),
  'reports.alert_round': derived('when a tenant was looked at'),
  'reports.alert_walk': derived('how far alerts were looked for'),
  'reports.dated_document': derived('documents that run out'),
  'reports.document': derived('documents that events refer to'),
  'reports.document_use': derived('which event refers to which'),
  'reports.draw_day': derived('what was drawn, in sums of a day'),
  'reports.draw_fact': derived('what events drew'),
  'reports.due_day': derived('days whose sums are due'),
  'reports.due_lot': derived('lots that are to be looked at'),
  'reports.due_transfer_day': derived('days whose sums are due'),
  'reports.event_day': derived('figures of events, in sums of a day'),
  'reports.event_fact': derived('figures of events'),
  'reports.fact_walk': derived('how far events were followed'),
  'reports.kept_answer': passing('answers of large reports; the next one who asks waits for it'),
  'reports.open_fact': derived('events that may change still'),
  'reports.open_lot': derived('lots that may change still'),
  'reports.pointer': derived('what the checks of stored contents found; each is checked again'),
  'reports.pointer_tally': derived('how many there are'),
  'reports.pointer_walk': derived('how far they were checked'),
  'reports.stock_cell': derived('what stock is summed by'),
  'reports.stock_lot': derived('live lots'),
  'reports.stock_place': derived('the places that events name'),
  'reports.stock_sum': derived('stock in sums'),
  'reports.stock_walk': derived('how far lots were followed'),
  'reports.transfer_day': derived('transfers, in sums of a day'),
  'reports.transfer_fact': derived('transfers that ended'),
  'reports.transfer_walk': derived('how far transfers were followed'),
  'traceability.account_roles': chain('who may correct the events of others'),
  'traceability.block_time': chain('when blocks were made'),
  'traceability.edge': chain('what was made from what'),
  'traceability.error_declaration': kept('why events were declared wrong; the chain has the hash of it'),
  'traceability.event': chain('events, with the words of their contents'),
  'traceability.event_claim': passing('what events that were prepared and not sent reach for'),
  'traceability.event_lot': chain('which events name which lot'),
  'traceability.lot': chain('lots, in each of their versions'),
  'traceability.lot_hold': kept('which lots are stopped'),
  'traceability.process_map': kept('process maps as they were published; their documents are in the content store too'),
  'traceability.process_type': kept('which process map a key belongs to'),
  'traceability.recall_affected': chain('what recalls affect'),
  'traceability.tenant_rules': kept('what a tenant refuses beyond what everybody refuses'),
  'transactions.landed': chain('what each transaction did'),
  'transactions.tracked': kept('which transactions somebody asked to watch'),
  'webhooks.attempt': kept('what receivers answered'),
  'webhooks.delivery': kept('what is on its way to receivers, and what was delivered of late'),
  'webhooks.message': kept('the bytes of these deliveries'),
  'webhooks.subscription': kept('who hears of what, with sealed secrets'),
};

export const tablesOf = (...origins: readonly Origin[]): readonly string[] =>
  Object.entries(TABLE_ORIGINS).flatMap(([table, { origin }]) => (origins.includes(origin) ? [table] : []));

/** What a dump may leave out the rows of. A table that nobody named here is in it. */
export const LEFT_OUT = tablesOf('chain', 'derived', 'passing');

/** Of the queue, where it is on PostgreSQL: it makes the schema anew at its next start, and its jobs are wake-ups alone. */
export const QUEUE_SCHEMA = 'bullmq';
