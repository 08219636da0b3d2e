import { DomainError, type Problem, refusal } from '#kernel';

/** 400: the request itself is not well formed (its content may be; that would be 422). */
export const malformedRequest = (errors: readonly Problem[]): DomainError =>
  new DomainError('malformed_request', 400, errors.length === 1 ? errors[0]!.message : `${errors.length} problems with the request.`, {
    errors,
  });

export const unsupportedMediaType = refusal(
  'unsupported_media_type',
  415,
  (got: string) => `The body is ${got}; this service reads application/json.`,
);
