/** Why there was no answer. The tenant sees less: refused, reset and unresolved are one to it. */
export type Silence = 'timeout' | 'not_allowed' | 'unreachable' | 'broken_off' | 'not_signed';

/** The outcome of one POST. */
export type PostOutcome =
  | { readonly kind: 'answered'; readonly statusCode: number; readonly responseBody: string; readonly retryAfterMs: number | null }
  /** No answer, or no complete one in time: then with the status that had arrived. */
  | {
      readonly kind: 'unanswered';
      readonly silence: Silence;
      readonly statusCode: number | null;
      readonly responseBody: string | null;
      readonly error: string;
    };

/** RFC 9110 §10.2.3: seconds or an HTTP date; null where it is neither. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
