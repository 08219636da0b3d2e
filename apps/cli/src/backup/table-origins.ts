import { retentionRules } from '../../../runtime/src/index.js';
import { type Origin, type TableOrigin, chain, derived, dump, temporary } from './table-origin.js';

/** Every table of the service. A test compares the list with the migrated database, so a new table must be added here. */
export const TABLE_ORIGINS: Readonly<Record<string, TableOrigin>> = {
  'chain.account_factory': dump(
    'the factory of passkey accounts, when `CHAIN_ACCOUNT_FACTORY` does not name it',
    'nothing',
    'one row for each factory that was deployed',
  ),
  'chain.block': chain(
    'the last blocks that were read; without them the indexer reads the chain again',
    'blocks',
    '`CHAIN_REORG_WINDOW` of them',
  ),
  'chain.cursor': dump('which chain was read, and how far', 'nothing', 'one row'),
  'chain.deployment': dump('the registry, when `CHAIN_REGISTRY` does not name it', 'nothing', 'one row'),
  'content.block': dump(
    'the contents, when they are stored in the database',
    'prepared events, process maps, declarations and recalls',
    '`UNSENT_CONTENTS_KEPT_DAYS` unless a record refers to it, then without limit',
  ),
  'content.unsettled': dump(
    'contents that no lasting record refers to yet; without it those that are never sent stay',
    'stored contents',
    '`UNSENT_CONTENTS_KEPT_DAYS`',
  ),
  'custody.hand_over': dump(
    'when and where goods changed hands, as notes of custody say it',
    'calls of custody that are prepared with a time or a place',
    'without limit: a reindex reads them again; each costs storage of the quota',
  ),
  'custody.transfer': chain('who offered what to whom, and how it ended', 'transfers', 'as long as the chain: made from it'),
  'documents.document': dump('what organisations say of the files that they uploaded', 'uploads'),
  'documents.file': dump(
    'size and hash of uploaded files; without it nobody finds their parts',
    'uploads, of which each costs storage of the quota, and imports',
  ),
  'documents.part': dump('in which stored blocks the parts of a file are', 'uploads: one row for 256 KiB', 'as long as the file'),
  'http.answer': dump('answers to requests with an `Idempotency-Key`', 'requests with an `Idempotency-Key`', '`IDEMPOTENCY_KEPT_HOURS`'),
  'identity.account_call': temporary(
    'calls that were prepared for accounts of passkeys; what waits for a signature has to be prepared again',
    'calls that are prepared for these accounts',
  ),
  'identity.api_key': dump('API keys, as hashes', 'keys that are made; the valid ones are a quota of the tier'),
  'identity.app_user': dump(
    'users and the hashes of their passwords',
    'people',
    'without limit: records name them; who never accepted an invitation, `INVITED_USERS_KEPT_DAYS`',
  ),
  'identity.audit_entry': dump('security events of tenants', 'changes by administrators, and sign-ins'),
  'identity.chain_process_scope': chain(
    'for which processes an account may record',
    'grants on chain',
    'as long as the chain: made from it',
  ),
  'identity.chain_role': chain('what an account may do in the contract', 'grants on chain', 'as long as the chain: made from it'),
  'identity.invitation': temporary('one-time links; users with an unused link need a new one', 'invitations', 'until they expire'),
  'identity.mail_sent': temporary('how many mails a mailbox got, by its hash', 'invitations and forgotten passwords', 'a day'),
  'identity.member': dump('the members of tenants, and their rights', 'people in tenants', 'without limit: records name them'),
  'identity.organisation': dump('organisations and their profiles', 'organisations', 'without limit: records name them'),
  'identity.passkey': dump('passkeys: public keys only', 'passkeys; a person has at most 20 in a tenant', 'until one is deleted'),
  'identity.passkey_account': dump(
    'what the accounts of passkeys are made from; without it an account that is not deployed yet is lost',
    'members whose wallet is a passkey',
    'without limit: records name them',
  ),
  'identity.passkey_challenge': temporary('challenges, valid for five minutes', 'sign-ins with a passkey', 'five minutes'),
  'identity.password_reset': temporary('one-time links, valid for one hour', 'forgotten passwords', 'one hour'),
  'identity.revocation': temporary('what was revoked in the last seconds', 'changes of rights', 'one hour'),
  'identity.session': temporary('sessions; all users must sign in again', 'sign-ins'),
  'identity.site': dump('sites of organisations', 'sites', 'until one is deleted'),
  'identity.siwe_nonce': temporary('nonces, valid for five minutes', 'sign-ins with a wallet', 'five minutes'),
  'identity.tenant': dump('tenants; the chain has only the hash of a slug', 'tenants', 'without limit'),
  'identity.tenant_contract': chain('the contracts that the registry created', 'contracts', 'as long as the chain: made from it'),
  'identity.usage': dump('what tenants have used of their quotas', 'months', 'without limit: at most 16 rows a month and tenant'),
  'identity.wallet': dump('the owners of addresses', 'addresses of organisations', 'until one is unbound'),
  'identity.wallet_move': dump(
    'the owner of an address before a wallet move: undone and redone with its block',
    'wallet moves',
    'without limit: a reindex undoes and redoes them',
  ),
  'interchange.captured_context': dump(
    'what prefixes in captured EPCIS events mean',
    'captured documents with contexts of their own',
    'as long as a captured event refers to it; `PREPARED_EVENT_SECONDS` and `EXPIRED_EVENT_SECONDS` when none does',
  ),
  'interchange.captured_event': dump(
    'captured EPCIS events as they came, and which were prepared already',
    'captured events',
    'as long as the event; `PREPARED_EVENT_SECONDS` and `EXPIRED_EVENT_SECONDS` when it never landed',
  ),
  'interchange.capture_job': temporary(
    'what became of the documents that were sent to the EPCIS repository',
    'captured documents',
    '`PREPARED_EVENT_SECONDS` and `EXPIRED_EVENT_SECONDS`',
  ),
  'interchange.epcis_cursor': derived('how far the EPCIS repository has followed the chain', 'tenants', 'one row a tenant'),
  'interchange.epcis_due': derived('events that the EPCIS repository writes again', 'erasures', 'until they are written'),
  'interchange.epcis_event': dump(
    'the events of the EPCIS repository: those on chain are written again from it, those that were kept are in dumps only',
    'recorded events, custody and recalls; captured events that fit no process',
    'without limit; what is kept `EPCIS_KEPT_DAYS`, and it counts as storage of the quota',
  ),
  'interchange.epcis_name': dump('what the events of the EPCIS repository name', 'events of the repository', 'as long as the event'),
  'interchange.epcis_pending': dump(
    'events that subscriptions have not examined yet',
    'events of the repository',
    'until they are examined',
  ),
  'interchange.epcis_query': dump('queries of the EPCIS repository with a name', 'queries that are defined', 'until one is deleted'),
  'interchange.epcis_subscription': dump(
    'subscriptions to queries of the EPCIS repository',
    'subscriptions that are made',
    'until one is deleted',
  ),
  'interchange.epcis_value': dump(
    'numbers and times in the events of the EPCIS repository',
    'events of the repository',
    'as long as the event',
  ),
  'interchange.import': dump('files that became events, and how far they are', 'imports'),
  'interchange.import_mapping': dump(
    'how the columns of files are read',
    'versions of mappings that somebody keeps',
    'without limit: imports say which version they used',
  ),
  'interchange.import_row': dump('rows with problems, and those whose event was prepared', 'rows of imports', 'as long as the import'),
  'keys.content_key': dump(
    'the keys of sealed contents; without them what contents seal is lost for good',
    'sealed contents',
    '`UNSENT_CONTENTS_KEPT_DAYS` unless a record refers to the content, then without limit',
  ),
  'keys.erasure': dump(
    'which values were erased, by ids and paths; the erasure log has the same',
    'erasures',
    'without limit: a restored dump is compared with it',
  ),
  'keys.tenant_key': dump('the key under which the keys of a tenant are encrypted; as important as these', 'tenants', 'one row a tenant'),
  'passports.access_grant': dump(
    'who outside of the tenant may read more of a passport, and the hashes of their tokens',
    'grants, at most 1,000 of a passport',
    'without limit: who could read what, and why',
  ),
  'passports.link': dump("links of a tenant's own behind Digital Links", 'links, `LINKS_PER_TENANT` at most', 'until deleted'),
  'passports.passport': dump(
    'the addresses that are printed on goods: random, so nothing else has them',
    'lots with a passport',
    'without limit: it is printed on goods',
  ),
  'passports.version': dump('what the public read of passports at each time', 'changes of passports', 'without limit'),
  'passports.setting': dump('whether and how a tenant shows passports', 'nothing', 'one row a tenant'),
  'persistence.migration': dump('the applied migrations', 'releases', 'without limit'),
  'persistence.outbox': dump('topics that were sent lately, and those that wait; without it all of them are sent again', 'topics'),
  'persistence.outbox_key': dump(
    'which topics were sent, by the hash of their key; without it all of them are sent again',
    'topics',
    'without limit, in about 120 bytes: a reindex sends none of them again',
  ),
  'persistence.revision': temporary(
    'how often what each tenant reads has changed, for answers in the memory of processes',
    'nothing',
    '64 rows a tenant',
  ),
  'persistence.span_origin': temporary('trace contexts of requests', 'requests in recorded traces'),
  'recall.acknowledgement': dump('what holders did with recalled lots', 'new acknowledgements', 'without limit: food law asks'),
  'recall.drill': dump('mock recalls and their reports', 'recall drills'),
  'recall.hold': dump(
    'why lots are on hold, and who released them',
    'lots that are put on hold',
    'without limit: who released what, and when',
  ),
  'recall.prepared_notice': dump(
    'for whom recalls were prepared',
    'recalls and liftings that are prepared',
    'without limit: a reindex compares with it who signed',
  ),
  'recall.propagation_end': dump('recalls whose holds were ended', 'recalls whose holds were ended', 'without limit'),
  'recall.recall': chain('recalls, with the text of their notices', 'recalls', 'as long as the chain: made from it'),
  'recall.recalled_lot': chain('the lots that recalls flagged', 'recalled lots', 'as long as the chain: made from it'),
  'reporting.alert': dump('alerts: since when they are open, who acknowledged them, what is muted', 'alerts'),
  'reporting.alert_limit': dump('the limits that a tenant set', 'nothing', 'one row a tenant and limit'),
  'reporting.alert_evaluation': derived('when the alerts of a tenant were checked', 'nothing', 'one row a tenant'),
  'reporting.alert_cursor': derived('how far the check for alerts has read', 'nothing', 'one row a tenant and source'),
  'reporting.dated_document': derived('documents that expire', 'documents that expire', 'as long as the events'),
  'reporting.document': derived('documents that events refer to', 'documents', 'as long as the events'),
  'reporting.document_use': derived('which event refers to which', 'documents of events', 'as long as the events'),
  'reporting.draw_day': derived('consumption, in daily sums', 'days', 'as long as the events'),
  'reporting.draw_fact': derived('what events consumed', 'events', 'as long as the events'),
  'reporting.due_day': derived('days whose sums must be calculated again', 'late events', 'until the sums are calculated'),
  'reporting.due_event': derived('events whose alerts are checked again', 'corrected events', 'until they are checked'),
  'reporting.due_lot': derived('lots whose stock must be calculated again', 'changed lots', 'until their stock is calculated'),
  'reporting.due_transfer_day': derived('days whose sums must be calculated again', 'late transfers', 'until the sums are calculated'),
  'reporting.event_day': derived('figures of events, in daily sums', 'days', 'as long as the events'),
  'reporting.event_fact': derived('figures of events', 'events', 'as long as the events'),
  'reporting.fact_cursor': derived('how far events were read', 'nothing', 'one row a tenant'),
  'reporting.report_cache': temporary(
    'cached answers of large reports; the next request waits for a new one',
    'different questions',
    'the latest of each tenant',
  ),
  'reporting.open_fact': derived('events that may still change', 'events that are not final', 'until they are'),
  'reporting.open_lot': derived('lots that may still change', 'lots that are not final', 'until they are'),
  'reporting.pointer': derived(
    'results of the checks of stored contents; each content is checked again',
    'contents of events',
    'as long as the events',
  ),
  'reporting.pointer_tally': derived('counts of those results', 'days', 'as long as the events'),
  'reporting.pointer_cursor': derived('how far contents were checked', 'nothing', 'one row a tenant'),
  'reporting.stock_cell': derived(
    'the dimensions of stock sums',
    'combinations of product, place and custodian',
    'as long as there is stock',
  ),
  'reporting.stock_lot': derived('live lots', 'live lots', 'as long as there is stock'),
  'reporting.stock_place': derived('the places in events', 'places', 'as long as there is stock'),
  'reporting.stock_sum': derived('stock, in sums', 'days', 'as long as there is stock'),
  'reporting.stock_cursor': derived('how far lots were read', 'nothing', 'one row a tenant'),
  'reporting.transfer_day': derived('transfers, in daily sums', 'days', 'as long as the transfers'),
  'reporting.transfer_fact': derived('transfers that ended', 'transfers', 'as long as the transfers'),
  'reporting.transfer_cursor': derived('how far transfers were read', 'nothing', 'one row a tenant'),
  'traceability.account_roles': chain('who may correct the events of others', 'grants on chain', 'as long as the chain: made from it'),
  'traceability.block_time': chain('the times of blocks', 'blocks with logs of a tenant', 'as long as the chain: made from it'),
  'traceability.edge': chain('which lots were made from which lots', 'inputs of events', 'as long as the chain: made from it'),
  'traceability.error_declaration': dump(
    'why events were declared erroneous; the chain has only its hash',
    'declarations of errors',
    'without limit when it landed, else `ERROR_DECLARATIONS_KEPT_DAYS`',
  ),
  'traceability.event': chain(
    'events, with the data of their contents',
    'events',
    'without limit when it landed, else `EXPIRED_EVENT_SECONDS` after it expired',
  ),
  'traceability.generated_code': dump(
    'codes that were made from templates; each is given away once',
    'codes that the service makes',
    'without limit, in about 150 bytes: an expired event may still land',
  ),
  'traceability.event_reservation': temporary(
    'codes and lots reserved by events that were prepared and not sent',
    'prepared events',
    'until they land or expire',
  ),
  'traceability.event_lot': chain('which events refer to which lot', 'lots of events', 'as long as the chain: made from it'),
  'traceability.lot': chain('lots, in all versions', 'changes of lots', 'as long as the chain: made from it'),
  'traceability.lot_hold': dump('which lots are on hold', 'lots on hold', 'until they are released'),
  'traceability.process_map': dump(
    'published process maps; their documents are also in the content store',
    'published versions; a map has at most 256 KiB',
    'without limit: events refer to their version',
  ),
  'traceability.process_type': dump(
    'which process map a key belongs to',
    'processes of published maps',
    'without limit: events refer to them',
  ),
  'traceability.recall_affected': chain('the lots that recalls affect', 'lots that recalls affect', 'as long as the chain: made from it'),
  'traceability.retraction': dump(
    'final events that left the chain, and whether their tenant was informed',
    'final events that left the chain',
  ),
  'traceability.sealing_start': chain('the block from which a tenant seals its contents', 'nothing', 'one row a tenant'),
  'traceability.tenant_rules': dump('additional validation rules of tenants', 'nothing', 'one row a tenant'),
  'transactions.landed': chain('what each transaction did', 'transactions', 'as long as the chain: made from it'),
  'transactions.relay': dump('batches that the sponsor sends, and what they cost', 'relays'),
  'transactions.sponsor': temporary('who sends, and its balance', 'nothing', 'one row'),
  'transactions.sponsor_transaction': dump(
    'the nonces of the sponsor; without it what waits for a block is lost, and its nonces are filled',
    'relays',
  ),
  'transactions.sponsorship': dump('what tenants may cost the sponsor', 'nothing', 'one row a tenant'),
  'transactions.tracked': dump(
    'tracked transactions',
    'tracked transactions; those that no node has seen are bounded by `TX_NEVER_SEEN_PER_TENANT`',
  ),
  'webhooks.attempt': dump('what receivers answered', 'attempts to deliver', 'as long as the delivery'),
  'webhooks.consumer': dump('how far consumers of the change feed came', 'consumers; a principal has at most 50'),
  'webhooks.delivery': dump('pending and recent deliveries', 'topics and subscriptions'),
  'webhooks.feed': dump('where the change feed of a tenant begins and ends', 'tenants', 'one row for each tenant'),
  'webhooks.message': dump('the change feed, and the bodies of deliveries', 'topics'),
  'webhooks.subscription': dump('subscriptions, with encrypted secrets', 'subscriptions; those in use are a quota of the tier'),
};

export const tablesOf = (...origins: readonly Origin[]): readonly string[] =>
  Object.entries(TABLE_ORIGINS).flatMap(([table, { origin }]) => (origins.includes(origin) ? [table] : []));

/** Tables whose rows a dump may omit. A table that is not in the list is dumped. */
export const LEFT_OUT = tablesOf('chain', 'derived', 'temporary');

/** The queue's schema in PostgreSQL. The queue creates it again at its next start. */
export const QUEUE_SCHEMA = 'bullmq';

/** For how long rows of a table are kept, in words. */
export function keptOf(table: string): string {
  const rules = retentionRules.filter((rule) => rule.table === table && rule.settings.length > 0);
  const { kept } = TABLE_ORIGINS[table]!;
  return kept ?? [...new Set(rules.map(({ settings }) => settings.map((name) => `\`${name}\``).join(' and ')))].join(' or ');
}
