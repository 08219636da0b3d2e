import { DomainError, type Problem, refusal } from '#kernel';

/** 400: the request itself is not well formed (its content may be; that would be 422). */
export const malformedRequest = (errors: readonly Problem[]): DomainError =>
  new DomainError('malformed_request', 400, errors.length === 1 ? errors[0]!.message : `${errors.length} problems with the request.`, {
    errors,
  });

/** No text column can hold U+0000, so no text of a request may. */
export const nulCharacter = (pointer: string): Problem => ({
  pointer,
  code: 'nul_character',
  message: `${pointer} contains the character U+0000.`,
});

/** UTF-8 has no form for half a pair: stored, it would be another text than was sent. */
export const loneSurrogate = (pointer: string): Problem => ({
  pointer,
  code: 'lone_surrogate',
  message: `${pointer} contains half of a surrogate pair, which is not Unicode text.`,
});

/** Nobody is left to read this; it is for the log. */
export const requestAborted = refusal('request_aborted', 400, () => 'The client went away before its request had arrived whole.');

export const unsupportedCoding = refusal(
  'unsupported_content_coding',
  415,
  (got: string) => `The body is encoded as ${got}; this service reads it as it is.`,
);

export const unsupportedMediaType = refusal(
  'unsupported_media_type',
  415,
  (got: string) => `The body is ${got}; this service reads application/json.`,
);

export const methodNotAllowed = refusal(
  'method_not_allowed',
  405,
  (method: string, allowed: string) => `${method} is not for this address; it takes ${allowed}.`,
);
