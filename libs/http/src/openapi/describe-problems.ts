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

/**
 * Whatever prepares a call asks a node to estimate it, for a sender; that of a tenant (`/api/v1`) goes to its contract, and stores words that
 * the call has hashes of. A batch tells of each item in its answer.
 */
export function describePreparation(operation: Operation, path: string): void {
  const [, batch] = /\/prepare(\/batch)?$/.exec(path) ?? [null];
  if (batch === null) return;
  refuses(operation, 503, 'chain_unavailable');
  if (batch === undefined) refuses(operation, 422, 'invalid_content', 'tx_would_revert', 'gas_limit_exceeded');
  if (!path.startsWith('/api/v1/')) return;
  if (batch === undefined) refuses(operation, 403, 'foreign_sender');
  refuses(operation, 409, 'tenant_has_no_contract');
  refuses(operation, 429, 'quota_exceeded');
  refuses(operation, 503, 'content_storage_unavailable');
}

/** Whoever needs the database says so when it is away; only the question whether the process lives does not need it. */
export const describeOutage = (operation: Operation, path: string): void =>
  path.startsWith('/health/') ? undefined : refuses(operation, 503, 'database_unavailable');

/** One example for each code that a status stands for; the codes are those of its description. */
export function describeExamples({ responses }: Operation, path: string): void {
  for (const [status, response] of Object.entries(responses)) {
    const media = (response?.content as Record<string, { examples?: Examples }> | undefined)?.[PROBLEM_JSON];
    if (!response || !media) continue;
    const codes = [...response.description.matchAll(/`([a-z][a-z0-9_]*)`/g)].map(([, code]) => code!);
    const own = media.examples;
    media.examples = Object.fromEntries(
      codes.map((code) => [code, { summary: titleOf(code), value: example(Number(status), code, path, own?.[code]?.value.detail) }]),
    );
  }
}

type Examples = Readonly<Record<string, { readonly value: { readonly detail?: string | undefined } }>>;

const example = (status: number, code: string, path: string, detail: string | undefined) => ({
  type: `urn:traceability:problem:${code}`,
  title: titleOf(code),
  status,
  code,
  detail: detail ?? sentenceOf(code) ?? `${titleOf(code)} (${STATUS_CODES[status]}).`,
  instance: path,
  requestId: '0b9a4c1e-6f0e-4b61-9d0f-3d0c5a2f7e11',
  ...(CONTENT.has(code) && { errors: [{ pointer: '/metadata/quantity', code: 'required', message: '/metadata/quantity is missing.' }] }),
});
/** Refusals that name each fault and its place. */
const CONTENT = new Set(['malformed_request', 'invalid_content']);
