import type { Outcome, Silence } from './delivery.js';

/** What came of an attempt, in few words for whoever counts. */
export type AttemptResult = 'success' | 'http_3xx' | 'http_4xx' | 'http_5xx' | 'http_other' | Silence | 'interrupted';

export function attemptResult(outcome: Outcome): AttemptResult {
  if (outcome.kind === 'answered') return ANSWERS[Math.trunc(outcome.statusCode / 100)] ?? 'http_other';
  return outcome.kind === 'unanswered' ? outcome.silence : outcome.kind;
}

const ANSWERS: Readonly<Record<number, AttemptResult>> = { 2: 'success', 3: 'http_3xx', 4: 'http_4xx', 5: 'http_5xx' };
