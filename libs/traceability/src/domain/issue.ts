import type { Problem } from '#kernel';

/** A finding of validation. `pointer` goes into the request body (RFC 6901). */
export interface Issue extends Problem {
  readonly severity: 'error' | 'warning';
}

export const fault = (pointer: string, code: string, message: string): Issue => ({ pointer, code, message, severity: 'error' });
export const remark = (pointer: string, code: string, message: string): Issue => ({ pointer, code, message, severity: 'warning' });

export const errorsOf = (issues: readonly Issue[]): readonly Issue[] => issues.filter((issue) => issue.severity === 'error');
export const warningsOf = (issues: readonly Issue[]): readonly Issue[] => issues.filter((issue) => issue.severity === 'warning');

/** `"<pointer>: <sentence>"`, with pointers into metadata written from there: `"/quantity/uom: must match …"` (domain-decisions §1). */
export const sentenceOf = (issue: Issue): string => `${issue.pointer.replace(/^\/metadata(?=\/)/, '') || '/'}: ${issue.message}`;

export const inMetadata = (pointer: string): string => `/metadata${pointer}`;
