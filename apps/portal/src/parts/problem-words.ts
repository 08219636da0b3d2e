import { type Phrase, phrase, speaking, t } from '../state/language.js';

/** Refusals that people meet most, by their stable code. In English the service's own sentence says more: it has the values. */
const SAYS: Readonly<Record<string, Phrase>> = {
  invalid_credentials: phrase('E-mail or password is wrong.'),
  wrong_password: phrase('The current password is wrong.'),
  session_not_found: phrase('This session has ended already.'),
  unauthenticated: phrase('Sign in first.'),
  token_expired: phrase('Your sign-in has expired. Sign in again.'),
  not_a_member: phrase('You are not a member of that tenant.'),
  no_membership: phrase('You are not a member of any tenant.'),
  role_required: phrase('Your role does not allow this. Ask an administrator.'),
  process_out_of_scope: phrase('This process is not one of yours. Ask an administrator.'),
  beyond_own_grants: phrase('You can give nobody more rights than you have.'),
  not_authorized: phrase('Your wallet has no right to do this in the contract. Ask an administrator to sign the grants.'),
  rate_limited: phrase('Too many requests. Wait a moment and try again.'),
  quota_exceeded: phrase('A limit of your tenant is used up. Ask the operator for more.'),
  service_busy: phrase('The service is busy. Try again in a moment.'),
  chain_unavailable: phrase('The chain does not respond. Nothing was lost; try again in a moment.'),
  database_unavailable: phrase('The database does not respond. Nothing was lost; try again in a moment.'),
  content_storage_unavailable: phrase('The store of contents does not respond. Try again in a moment.'),
  internal_error: phrase('The service made an error. Try again; if it stays, tell the operator this code.'),
  invalid_content: phrase('Something that was filled in is not right.'),
  malformed_request: phrase('The service could not read the request.'),
  payload_too_large: phrase('That is too large to send.'),
  precondition_failed: phrase('Somebody else has changed this meanwhile. Read it again, then change it.'),
  lot_not_found: phrase('There is no such lot, or you may not see it.'),
  event_not_found: phrase('There is no such event, or you may not see it.'),
  lot_not_active: phrase('The lot is used up, retired or held, so this cannot be done with it.'),
  lot_contained: phrase('The lot is in a container. Break the container up first.'),
  lot_is_recalled: phrase('The lot is recalled: it cannot be used or moved.'),
  not_custodian: phrase('You do not hold this lot.'),
  over_consumption: phrase('That is more than is left of the lot.'),
  no_open_offer: phrase('There is no open transfer of this lot.'),
  no_offer: phrase('There is no open transfer of this lot any more.'),
  input_not_final: phrase('A lot is not final yet. Wait a few blocks and try again.'),
  event_in_use: phrase('Its lots were used by other events. Void those first.'),
  event_not_voidable: phrase('This event cannot be voided.'),
  event_voided: phrase('This event is voided already.'),
  already_recalled: phrase('The lot is recalled already.'),
  not_held: phrase('The lot is not on hold.'),
  not_recalled: phrase('The lot is not recalled.'),
  is_paused: phrase('The contract is paused: nothing can be signed until an administrator resumes it.'),
  webhook_url_unreachable: phrase('The address does not answer. Check it, and that the receiver runs.'),
  webhook_url_invalid: phrase('That is no address of a web page: it begins with https://.'),
  webhook_url_not_allowed: phrase('The service may not send to this address.'),
  document_infected: phrase('The virus scanner found something in the file. Nothing was stored.'),
  document_type_refused: phrase('Files of this kind are not taken. PDF, pictures, Office files without macros, CSV, XML and text are.'),
  invitation_not_found: phrase('This invitation is unknown, used or expired.'),
  invalid_reset_token: phrase('This link is unknown, used or expired; request a new one.'),
  unknown_wallet: phrase('No active member has this wallet.'),
  passkey_unknown: phrase('No active member has this passkey.'),
  passkey_not_verified: phrase('The device did not check who you are. Unlock it with your PIN, finger or face.'),
  already_member: phrase('This person is a member already.'),
  email_taken: phrase('Somebody with this e-mail address exists already.'),
  last_tenant_admin: phrase('A tenant keeps at least one administrator of every process.'),
  organisation_name_taken: phrase('An organisation with this name exists already.'),
  process_map_outdated: phrase('A version that is as high is published already. Choose a higher one.'),
};

/** The refusal in the language of the page; null where the service's own sentence is all there is. */
export function problemInWords(code: string): string | null {
  if (speaking.value.language === 'en' || !Object.hasOwn(SAYS, code)) return null;
  return t(SAYS[code]!);
}

export const TRANSLATED_CODES: readonly string[] = Object.keys(SAYS);

/** What a schema says of a value: a whole sentence. */
const SENTENCES: ReadonlySet<string> = new Set([
  phrase('is required'),
  phrase('must not be empty'),
  phrase('must not repeat an item'),
  phrase('is not allowed here'),
  phrase('fits none of the allowed forms'),
  phrase('must be a number'),
  phrase('must be an integer'),
  phrase('must be a date such as 2026-09-15'),
  phrase('must be an e-mail address'),
] satisfies readonly Phrase[]);

/** The same with a value at the end or within it. */
const FORMS: readonly (readonly [form: RegExp, text: Phrase])[] = [
  [/^must be at least (?<limit>[\d.eE+-]+)$/, phrase('must be at least {limit}')],
  [/^must be at most (?<limit>[\d.eE+-]+)$/, phrase('must be at most {limit}')],
  [/^must be greater than (?<limit>[\d.eE+-]+)$/, phrase('must be greater than {limit}')],
  [/^must be less than (?<limit>[\d.eE+-]+)$/, phrase('must be less than {limit}')],
  [/^must have at least (?<limit>[\d.eE+-]+) characters$/, phrase('must have at least {limit} characters')],
  [/^must have at most (?<limit>[\d.eE+-]+) characters$/, phrase('must have at most {limit} characters')],
  [/^must be one of (?<choices>.+)$/, phrase('must be one of {choices}')],
];

/** @returns null where the message is of another form */
export function faultInWords(message: string): string | null {
  if (speaking.value.language === 'en') return null;
  if (SENTENCES.has(message)) return t(message as Phrase);
  for (const [form, text] of FORMS) {
    const found = form.exec(message)?.groups;
    if (found) return t(text, found);
  }
  return null;
}
