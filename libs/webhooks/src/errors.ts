import { type Problem, refusal } from '#kernel';

const at = (pointer: string, code: string, message: string): { errors: readonly Problem[] } => ({ errors: [{ pointer, code, message }] });
const INVALID_URL = 'The URL must be an absolute http or https URL of at most 2048 characters, without user name or password.';
const NOT_ALLOWED = 'The URL leads to an address that deliveries are not allowed to reach.';
const UNREACHABLE = 'The URL is not reachable: it gave no HTTP answer.';
/** What was sent may be as long as a body: enough of it to be recognised. */
const SHOWN = 60;
const unknownTopic = (topic: string): string =>
  `There is no topic ${JSON.stringify(topic.length > SHOWN ? `${topic.slice(0, SHOWN)}…` : topic)}; GET /api/v1/webhooks/topics lists them.`;

export const webhookNotFound = refusal('webhook_not_found', 404, (id: string) => `No webhook subscription ${id}.`);
export const deliveryNotFound = refusal('delivery_not_found', 404, (id: string) => `No delivery ${id} of this subscription.`);
export const urlInvalid = refusal(
  'webhook_url_invalid',
  422,
  () => INVALID_URL,
  () => at('/url', 'webhook_url_invalid', INVALID_URL),
);
export const urlNotAllowed = refusal(
  'webhook_url_not_allowed',
  422,
  () => NOT_ALLOWED,
  () => at('/url', 'webhook_url_not_allowed', NOT_ALLOWED),
);
export const urlUnreachable = refusal(
  'webhook_url_unreachable',
  422,
  () => UNREACHABLE,
  () => at('/url', 'webhook_url_unreachable', UNREACHABLE),
);
export const topicUnknown = refusal(
  'webhook_topic_unknown',
  422,
  (topic: string, _pointer: string) => unknownTopic(topic),
  (topic, pointer) => at(pointer, 'webhook_topic_unknown', unknownTopic(topic)),
);
export const tooManyWebhooks = refusal(
  'quota_exceeded',
  429,
  (limit: number) => `A tenant may have ${limit} webhook subscriptions; delete one first.`,
);
export const deliveryInFlight = refusal('delivery_in_flight', 409, (id: string) => `Delivery ${id} is being sent at this moment.`);

export const notAcceptable = refusal('not_acceptable', 406, (known: readonly string[]) => `Available types: ${known.join(', ')}.`);
export const changesExpired = refusal(
  'changes_expired',
  410,
  (_continueAfter: string) =>
    'The changes after this place are no longer kept. Read the state that you need again, and continue with the cursor in `continueAfter`.',
  (continueAfter) => ({ continueAfter }),
);
export const changesUnknown = refusal(
  'changes_cursor_unknown',
  410,
  (_continueAfter: string) =>
    'The feed does not have this place: the database was restored to an earlier state. Read the state that you need again, and continue with the cursor in `continueAfter`.',
  (continueAfter) => ({ continueAfter }),
);
export const tooManyReaders = refusal(
  'too_many_waiting_readers',
  429,
  (limit: number) => `${limit} requests already wait for changes here; end one of them, or ask again without \`wait\`.`,
  () => ({ retryAfterSeconds: 5 }),
);
export const consumerNotFound = refusal('consumer_not_found', 404, (name: string) => `You have no consumer ${name}.`);
export const tooManyConsumers = refusal('quota_exceeded', 429, (limit: number) => `One may have ${limit} consumers; delete one first.`);
