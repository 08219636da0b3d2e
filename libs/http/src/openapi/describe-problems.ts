import { STATUS_CODES } from 'node:http';
import { sentenceOf } from '../errors/api-problems.js';
import { PROBLEM_JSON } from '../errors/problem-filter.js';
import { titleOf } from '../errors/problem.js';
import { type Operation, refuses } from './operation.js';

/** What the HTTP layer itself refuses, so that no controller needs to say it. */
export function describeRequestFaults(operation: Operation): void {
  const { parameters = [], requestBody } = operation;
  if (requestBody !== undefined || parameters.length > 0) refuses(operation, 400, 'malformed_request');
  if ((parameters as { readonly in?: string }[]).some((parameter) => parameter.in === 'path')) refuses(operation, 414, 'path_too_long');
  refuses(operation, 431, 'headers_too_large');
  if (requestBody !== undefined) {
    refuses(operation, 408, 'request_timeout');
    refuses(operation, 413, 'payload_too_large');
    refuses(operation, 415, 'unsupported_media_type', 'unsupported_content_coding');
  }
  refuses(operation, 500, 'internal_error');
}

/** Whoever needs the database says so when it is away; only the question whether the process lives does not need it. */
export const describeOutage = (operation: Operation, path: string): void =>
  path.startsWith('/health/') ? undefined : refuses(operation, 503, 'database_unavailable');

/** One example for each code that a status stands for; the codes are those of its description. */
export function describeExamples({ responses }: Operation, path: string): void {
  for (const [status, response] of Object.entries(responses)) {
    const media = (response?.content as Record<string, { examples?: object }> | undefined)?.[PROBLEM_JSON];
    if (!response || !media) continue;
    const codes = [...response.description.matchAll(/`([a-z][a-z0-9_]*)`/g)].map(([, code]) => code!);
    media.examples = Object.fromEntries(
      codes.map((code) => [code, { summary: titleOf(code), value: example(Number(status), code, path) }]),
    );
  }
}

const example = (status: number, code: string, path: string): object => ({
  type: `urn:traceability:problem:${code}`,
  title: titleOf(code),
  status,
  code,
  detail: sentenceOf(code) ?? `${titleOf(code)} (${STATUS_CODES[status]}).`,
  instance: path,
  requestId: '0b9a4c1e-6f0e-4b61-9d0f-3d0c5a2f7e11',
  ...(CONTENT.has(code) && { errors: [{ pointer: '/metadata/quantity', code: 'required', message: '/metadata/quantity is missing.' }] }),
});
/** Refusals that name each fault and its place. */
const CONTENT = new Set(['malformed_request', 'invalid_content']);
