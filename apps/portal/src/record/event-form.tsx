import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiProblem, type LotView } from '#client';
import { isUnderWay } from '../parts/sign';
import { useDraft, useLoad } from '../state/load';
import { go, search } from '../state/router';
import { api } from '../state/session';
import { useDraftFiles } from '../waiting/waiting.js';
import { type EventDraft, type SetDraft, againFrom, emptyDraft } from './draft.js';
import { FilledForm, NONE, type Refusal } from './filled-form';
import type { Issue } from './issues.js';
import { chosenOf } from './lot-picker';
import { type Process, beginning } from './process.js';
import { RecordedView, type Recorded } from './recorded-view';
import { ReviewView, nameOfSigning } from './review-view';

type View = 'form' | 'review' | Recorded;

/** A form made from the process map's schema, the review of what was filled in, and what was recorded. */
export function EventForm({ process }: { readonly process: Process }) {
  const empty = useMemo(() => emptyDraft(process, beginning(process, new Date())), [process]);
  const [draft, setDraft] = useDraft(`record ${process.processType}`, empty, 'device');
  // What was sent is watched where it was signed, also after a reload.
  const [view, setView] = useState<View>(() => (isUnderWay(nameOfSigning(process)) ? 'review' : 'form'));
  const [refusal, setRefusal] = useState<Refusal>(NONE);
  useLotOfAddress(draft, setDraft);
  // An upload may end when its form is another one already.
  const now = useRef(draft);
  now.current = draft;
  const [files, setFiles] = useDraftFiles(`record ${process.processType}`);
  const filesNow = useRef(files);
  filesNow.current = files;
  const set: SetDraft = (change) => {
    setRefusal(NONE);
    now.current = { ...now.current, ...(typeof change === 'function' ? change(now.current) : change) };
    setDraft(now.current);
  };
  const start = (next: EventDraft): void => {
    setFiles([]);
    setDraft(next);
  };
  if (typeof view === 'object')
    return (
      <RecordedView
        process={process}
        recorded={view}
        onAgain={(keep) => {
          if (keep) start(againFrom(process, view.draft, new Date()));
          setView('form');
        }}
      />
    );
  if (view === 'review')
    return (
      <ReviewView
        process={process}
        draft={draft}
        files={files}
        warnings={refusal.issues.map(({ message }) => message)}
        onKept={() => {
          start(empty);
          setView('form');
          go('/waiting');
        }}
        onLanded={(landing) => {
          setView({ landing, draft });
          start(empty);
        }}
        onRefused={(problem) => {
          const issues = faultsOf(problem);
          if (issues.length === 0) return;
          setRefusal({ issues, at: Date.now() });
          setView('form');
        }}
        onBack={() => {
          setRefusal(NONE);
          setView('form');
        }}
      />
    );
  return (
    <FilledForm
      process={process}
      draft={draft}
      set={set}
      refusal={refusal}
      files={files}
      onWaitingFile={(file) => {
        filesNow.current = [...filesNow.current, file];
        setFiles(filesNow.current);
      }}
      onRefused={(issues) => setRefusal({ issues, at: Date.now() })}
      onReview={(warnings) => {
        setRefusal({ issues: warnings, at: 0 });
        setView('review');
      }}
    />
  );
}

/** A lot page that leads here names its lot. */
function useLotOfAddress(draft: EventDraft, setDraft: (draft: EventDraft) => void): void {
  const asked = new URLSearchParams(search.value).get('lot');
  const lot = useLoad(`lot ${asked}`, async () => (asked ? api().get<LotView>(`/api/v1/nfts/${encodeURIComponent(asked)}`) : null));
  useEffect(() => {
    if (lot.data && draft.lots.every(({ tokenId }) => tokenId !== lot.data!.tokenId))
      setDraft({ ...draft, lots: [...draft.lots, chosenOf(lot.data)] });
  }, [lot.data]);
}

const faultsOf = (problem: unknown): readonly Issue[] =>
  problem instanceof ApiProblem ? problem.errors.map(({ pointer, message }) => ({ pointer, message, severity: 'error' as const })) : [];
