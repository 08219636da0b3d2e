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

/** What the service says of the draft as it stands, asked when the typing pauses, and again while it does not answer. */
export function useVerdict(process: Process, draft: EventDraft): Verdict {
  const body = JSON.stringify(eventOf(process, draft));
  const settled = useSettled(body, 400);
  const [turn, setTurn] = useState(0);
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
          // What was said last still stands where it stood.
          setVerdict((before) => ({ ...before, of: settled, error: problem }));
          timer = setTimeout(() => setTurn((n) => n + 1), AGAIN_MS);
        },
      );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [settled, draft.handing, turn]);
  return { busy: of !== body, error, issues };
}
