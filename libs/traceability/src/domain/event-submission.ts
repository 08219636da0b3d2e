import { isTokenId } from '#kernel';
import type { EventSubmission } from '../contract.js';
import { closest } from './did-you-mean.js';
import { type Issue, fault } from './issue.js';
import { isObject } from './json-schema.js';

/** Fields of the specification, §2.4, and the additive `from` (api-decisions §1). */
export const SUBMISSION_FIELDS = ['processType', 'inputTokenIds', 'outputTlc', 'outputCustodian', 'metadata', 'from'] as const;

/** As much of a submission as can be read, with a fault for everything that cannot. */
export interface ReadSubmission {
  readonly submission: EventSubmission;
  readonly faults: readonly Issue[];
}

/** Reads what `validate` was sent, which may be any JSON object: what does not fit becomes a fault and counts as absent. */
export function readSubmission(body: { readonly [key: string]: unknown }): ReadSubmission {
  const faults: Issue[] = [];
  for (const key of Object.keys(body)) {
    if ((SUBMISSION_FIELDS as readonly string[]).includes(key)) continue;
    const guess = closest(key, SUBMISSION_FIELDS);
    faults.push(
      fault(
        `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        'unknown_field',
        `is not a field of an event${guess ? `; did you mean ${guess}?` : ''}`,
      ),
    );
  }
  const text = (key: 'processType' | 'outputTlc' | 'outputCustodian' | 'from'): string | null => {
    const value = body[key];
    if (value === undefined || value === null) return null;
    if (typeof value === 'string') return value;
    faults.push(fault(`/${key}`, 'wrong_type', 'must be a text'));
    return null;
  };
  const processType = text('processType');
  if (processType === null && !faults.some((found) => found.pointer === '/processType'))
    faults.push(fault('/processType', 'required', 'is required'));
  const metadata = body['metadata'];
  if (metadata === undefined) faults.push(fault('/metadata', 'required', 'is required'));
  else if (!isObject(metadata)) faults.push(fault('/metadata', 'wrong_type', 'must be an object'));
  const submission: EventSubmission = {
    processType: processType ?? '',
    inputTokenIds: readTokenIds(body['inputTokenIds'], faults),
    outputTlc: text('outputTlc'),
    outputCustodian: text('outputCustodian'),
    metadata: isObject(metadata) ? metadata : {},
    from: text('from'),
  };
  return { submission, faults };
}

function readTokenIds(value: unknown, faults: Issue[]): bigint[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    faults.push(fault('/inputTokenIds', 'wrong_type', 'must be a list of token ids'));
    return [];
  }
  return value.flatMap((item: unknown, i) => {
    if (isTokenId(item)) return [BigInt(item)];
    faults.push(fault(`/inputTokenIds/${i}`, 'bad_token_id', 'must be a token id: an integer from 1, or its decimal string'));
    return [];
  });
}
