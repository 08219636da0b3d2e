import { DomainError, type Problem, refusal } from '#kernel';

/** 400: the request is malformed. Invalid content is 422. */
export const malformedRequest = (errors: readonly Problem[]): DomainError =>
  new DomainError('malformed_request', 400, errors.length === 1 ? errors[0]!.message : `The request has ${errors.length} errors.`, {
    errors,
  });

/** Only for the log: there is no client to answer. */
export const requestAborted = refusal('request_aborted', 400, () => 'The client disconnected before the request was complete.');

export const unsupportedCoding = refusal(
  'unsupported_content_coding',
  415,
  (got: string) => `The body has the content coding ${got}; send it without compression.`,
);

export const unsupportedMediaType = refusal('unsupported_media_type', 415, (got: string) => `The body is ${got}; send application/json.`);

/** To requests that arrive on a kept connection while the process stops: the next try reaches another process, or this one after its restart. */
export const stopping = refusal(
  'stopping',
  503,
  () => 'The service is stopping. Nothing was done; send the request again.',
  () => ({ retryAfterSeconds: 1 }),
);

export const methodNotAllowed = refusal(
  'method_not_allowed',
  405,
  (method: string, allowed: string) => `This address does not support ${method}; it supports ${allowed}.`,
);
