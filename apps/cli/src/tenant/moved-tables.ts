import { keyHash } from '#persistence';

/** A table whose rows of a tenant move with it. */
export interface MovedTable {
  readonly table: string;
  /** Which rows of the tenant; all of them by default. */
  readonly where?: string;
  /** A query that gives them, with more that belongs to them. */
  readonly from?: string;
}

const DOCUMENT_FILES = 'select file_id from documents.document where tenant_id = $1';

/** Keys of all messages that were sent. */
const SENT = `select tenant_id, hash from persistence.outbox_key
  union select tenant_id, ${keyHash('dedup_key')} from persistence.outbox where relayed_at is not null`;

/** In the order in which they are written: a row follows those that it refers to. */
export const MOVED: readonly MovedTable[] = [
  ...['identity.organisation', 'identity.site', 'identity.member', 'identity.wallet', 'identity.passkey', 'identity.passkey_account'].map(
    (table) => ({ table }),
  ),
  ...['identity.usage', 'identity.audit_entry'].map((table) => ({ table })),
  ...['traceability.process_map', 'traceability.process_type', 'traceability.tenant_rules', 'traceability.generated_code'].map((table) => ({
    table,
  })),
  ...['traceability.error_declaration', 'traceability.retraction', 'traceability.lot_hold', 'custody.hand_over'].map((table) => ({
    table,
  })),
  ...['recall.prepared_notice', 'recall.hold', 'recall.drill', 'recall.acknowledgement', 'recall.propagation_end'].map((table) => ({
    table,
  })),
  { table: 'documents.file', where: `id in (${DOCUMENT_FILES})` },
  { table: 'documents.part', where: `file_id in (${DOCUMENT_FILES})` },
  { table: 'documents.document' },
  ...['interchange.captured_context', 'interchange.captured_event', 'interchange.epcis_query', 'interchange.import_mapping'].map(
    (table) => ({
      table,
    }),
  ),
  ...['interchange.epcis_event', 'interchange.epcis_name', 'interchange.epcis_value'].map((table) => ({ table })),
  ...['passports.setting', 'passports.passport', 'passports.version', 'passports.link'].map((table) => ({ table })),
  ...['reporting.alert', 'reporting.alert_limit', 'reporting.notice_choice', 'reporting.recall_request', 'keys.erasure'].map((table) => ({
    table,
  })),
  // What the outbox still has was sent too.
  { table: 'persistence.outbox_key', from: SENT },
];

/** Tables of dumps that an archive has in another form. */
export const MOVED_OTHERWISE: Readonly<Record<string, string>> = {
  'identity.tenant': 'in the manifest; the restored tenant is active',
  'identity.app_user': 'e-mail addresses and names of the members, without passwords',
  'content.block': 'as the contents that the records of the tenant refer to',
  'keys.tenant_key': 'sealed by the passphrase',
  'keys.content_key': 'sealed by the passphrase',
};

/** Tables of dumps whose rows stay where they are. */
export const LEFT_BEHIND: Readonly<Record<string, string>> = {
  'chain.account_factory': 'of the service',
  'chain.cursor': 'of the service',
  'chain.deployment': 'of the service',
  'content.unsettled': 'of the service',
  'http.answer': 'answers to requests of this service',
  'identity.api_key': 'a credential for this service: make new keys',
  'identity.wallet_move': 'made again from the chain',
  'interchange.epcis_pending': 'events that subscriptions of this service have not examined',
  'interchange.epcis_subscription': 'their secrets belong to this service: subscribe again',
  'interchange.import': 'imports with their files: what they prepared and was recorded is on chain',
  'interchange.import_row': 'rows of imports',
  'passports.access_grant': 'tokens for this service: grant again',
  'passports.registration': 'what this service sent to the registry: register again',
  'passports.registry_setting': 'its key is wrapped by a key of this service: set it again',
  'persistence.migration': 'of the service',
  'persistence.outbox': 'messages of this service',
  'reporting.notice': 'notices of this service, with links to its pages',
  'reporting.notice_cursor': 'a place in the change feed of this service, which does not move',
  'reporting.notice_mail': 'mails of this service',
  'transactions.relay': 'what the sponsor of this service sent',
  'transactions.sponsor_transaction': 'what the sponsor of this service sent',
  'transactions.sponsorship': 'what the operator of this service grants',
  'transactions.tracked': 'transactions that were sent through this service; what they did is on chain',
  'webhooks.attempt': 'deliveries of this service',
  'webhooks.consumer': 'positions in the change feed of this service, which does not move',
  'webhooks.delivery': 'deliveries of this service',
  'webhooks.feed': 'the change feed of this service',
  'webhooks.message': 'the change feed of this service',
  'webhooks.subscription': 'their secrets belong to this service: subscribe again',
};
