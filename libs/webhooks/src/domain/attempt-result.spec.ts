import { describe, expect, it } from '@jest/globals';
import { attemptResult } from './attempt-result.js';

const answered = (statusCode: number) => attemptResult({ kind: 'answered', statusCode, responseBody: '', retryAfterMs: null });

describe('what came of an attempt, for whoever counts', () => {
  it.each([
    [200, 'success'],
    [299, 'success'],
    [199, 'http_other'],
    [302, 'http_3xx'],
    [404, 'http_4xx'],
    [503, 'http_5xx'],
    [999, 'http_other'],
  ])('an answer of %i is %s', (status, result) => {
    expect(answered(status)).toBe(result);
  });

  it('no answer is told by its reason, and a worker that is gone by a word of its own', () => {
    expect(attemptResult({ kind: 'unanswered', silence: 'timeout', statusCode: 200, responseBody: null, error: '' })).toBe('timeout');
    expect(attemptResult({ kind: 'interrupted' })).toBe('interrupted');
  });
});
