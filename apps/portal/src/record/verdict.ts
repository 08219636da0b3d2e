import { useEffect, useState } from 'preact/hooks';
import type { VerdictView } from '#client';
import { useSettled } from '../state/load';
import { api } from '../state/session';
import { type EventDraft, eventOf, worthSaying } from './draft.js';
import type { Issue } from './issues.js';
import type { Process } from './process.js';

export interface Verdict {
  readonly busy: boolean;
  readonly error: unknown;
  readonly issues: readonly Issue[];
}

const AGAIN_MS = 5_000;

/** The validation of the current draft, requested when typing pauses, and again while the service does not respond. */
export function useVerdict(process: Process, draft: EventDraft): Verdict {
  const body = JSON.stringify(eventOf(process, draft));
  const settled = useSettled(body, 400);
  const [retry, setRetry] = useState(0);
  const [{ of, error, issues }, setVerdict] = useState<{ of: string; error: unknown; issues: readonly Issue[] }>({
    of: '',
    error: null,
    issues: [],
  });
  useEffect(() => {
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    api()
      .post<VerdictView>('/api/v1/events/validate', JSON.parse(settled))
      .then(
        (verdict) =>
          current && setVerdict({ of: settled, error: null, issues: verdict.issues.filter((issue) => worthSaying(draft, issue)) }),
        (problem: unknown) => {
          if (!current) return;
          // The last issues stay visible.
          setVerdict((before) => ({ ...before, of: settled, error: problem }));
          timer = setTimeout(() => setRetry((n) => n + 1), AGAIN_MS);
        },
      );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [settled, draft.handing, retry]);
  return { busy: of !== body, error, issues };
}
