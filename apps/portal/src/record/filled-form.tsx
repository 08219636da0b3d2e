import { useEffect, useRef, useState } from 'preact/hooks';
import type { OrganisationView, VerdictView } from '#client';
import { Section } from '../parts/basics';
import { Problem } from '../parts/problem';
import { orKept } from '../state/kept-answer';
import { isOutOfReach } from '../state/line';
import { useLoad } from '../state/load';
import type { Position } from '../state/position.js';
import type { WaitingFile } from '../waiting/store.js';
import { afterPress } from '../state/press';
import { useRun } from '../state/run';
import { api, me } from '../state/session';
import { doubtsOf, withDoubts } from './doubts.js';
import { type EventDraft, type SetDraft, eventOf, ofLot, placesOf, withoutWallet, worthSaying } from './draft.js';
import { CountryList } from './country-list';
import { Fields } from './fields';
import { filledOf, lengthAt, withAt } from './filled.js';
import { focusFirstFault } from './focus-fault.js';
import type { FormState, KnownPlace } from './form-state.js';
import { type Issue, placed, withoutConsequences } from './issues.js';
import { SameAsLast, useLastEvent } from './last-event';
import { LotPicker } from './lot-picker';
import { Custody, Output } from './outcome-fields';
import { type Process, documentTypesOf, neededBy } from './process.js';
import type { LastEvent } from './same-again.js';
import { type Verdict, useVerdict } from './verdict';
import { inWords } from './words.js';
import { plural, t } from '../state/language';

/** What the service or the review refused; a new `at` moves the focus to the first of it. */
export interface Refusal {
  readonly issues: readonly Issue[];
  readonly at: number;
}
export const NONE: Refusal = { issues: [], at: 0 };

/** The service validates it during input; each issue is shown at its field. */
export function FilledForm({
  process,
  draft,
  set,
  refusal,
  files,
  onWaitingFile,
  onRefused,
  onReview,
}: {
  readonly process: Process;
  readonly draft: EventDraft;
  readonly set: SetDraft;
  readonly refusal: Refusal;
  readonly onRefused: (issues: readonly Issue[]) => void;
  /** Not uploaded yet. */
  readonly files: readonly WaitingFile[];
  readonly onWaitingFile: (file: WaitingFile) => void;
  readonly onReview: (warnings: readonly Issue[]) => void;
}) {
  const form = useRef<HTMLDivElement>(null);
  const current = useRef(draft);
  current.current = draft;
  const verdict = useVerdict(process, draft);
  const last = useLastEvent(process);
  // What is filled in at once is shown briefly.
  const [round, setRound] = useState(0);
  const { busy, error, run } = useRun();
  const { state, all, said, whole, issues } = useFormState(process, draft, set, refusal, { verdict, last, onWaitingFile });
  useEffect(() => {
    if (refusal.at > 0) focusFirstFault(form.current!);
  }, [refusal.at]);
  const review = (): Promise<boolean> =>
    run(async () => {
      const found = await judgedNow(process, () => current.current);
      const faults = found.filter(({ severity }) => severity === 'error');
      if (faults.length > 0) onRefused(found);
      else onReview(found);
    });
  return (
    <div ref={form}>
      {process.description && <p class="lead">{process.description}</p>}
      {last && <SameAsLast process={process} last={last} draft={draft} onChange={(next) => (set(next), setRound(round + 1))} />}
      <CountryList />
      {process.inputs.max !== 0 && (
        <Section title={t('Input lots')}>
          <LotPicker
            process={process}
            handing={draft.handing}
            lots={draft.lots}
            doubts={state.doubts}
            said={(index) => ofLot(said, index)}
            onChange={(lots) => set({ lots })}
          />
          {all && <Faults of={said.get('/inputTokenIds') ?? []} />}
        </Section>
      )}
      {process.kind === 'transfer' && <Custody draft={draft} set={set} said={(at) => (all ? (said.get(at) ?? []) : [])} />}
      <Section title={t('What happened')}>
        <Fields key={round} form={state} fields={process.shape.fields} path={[]} filled={draft.filled} />
        {files.length > 0 && (
          <p class="hint">{t('On this device, uploaded with the event: {files}', { files: files.map(({ name }) => name).join(', ') })}</p>
        )}
      </Section>
      {process.outputs.max > 0 && (
        <Output process={process} draft={draft} set={set} said={(at) => (all || draft.outputTlc ? (said.get(at) ?? []) : [])} />
      )}
      <div class="finish">
        <State verdict={verdict} issues={issues} />
        <button type="button" class="main large" disabled={busy} onClick={() => void review()}>
          {t(busy ? 'Checking …' : 'Review')}
        </button>
        {/* Below the button: what comes later must not move it from under a finger. */}
        <Faults of={whole.filter(({ severity }) => all || severity === 'warning')} />
        <Problem of={error} />
      </div>
    </div>
  );
}

/** Of the draft as it is in the end: it may be changed while the service is asked. */
async function judgedNow(process: Process, draftOfNow: () => EventDraft): Promise<readonly Issue[]> {
  for (;;) {
    const draft = draftOfNow();
    const issues = await issuesNow(process, draft);
    if (draftOfNow() === draft) return judged(process, draft, issues);
  }
}

/** Without a line nothing is said now; the service says it when the record is sent. */
async function issuesNow(process: Process, draft: EventDraft): Promise<readonly Issue[]> {
  try {
    const { issues } = await api().post<VerdictView>('/api/v1/events/validate', eventOf(process, draft));
    return issues.filter((issue) => worthSaying(draft, issue));
  } catch (problem) {
    if (isOutOfReach(problem)) return [];
    throw problem;
  }
}

/** What the service says, and what it cannot know. */
function judged(process: Process, draft: EventDraft, said: readonly Issue[]): readonly Issue[] {
  const unknown = withoutWallet(draft);
  const issues = [...unknown, ...said.filter(({ pointer }) => unknown.every((one) => one.pointer !== pointer))];
  return withDoubts(withoutConsequences(issues, process.tlc?.template !== undefined && draft.outputTlc === ''), doubtsOf(process, draft));
}

/** Which issues are shown where: those of fields that were left, and all after a refusal. */
function useFormState(
  process: Process,
  draft: EventDraft,
  set: SetDraft,
  refusal: Refusal,
  {
    verdict,
    last,
    onWaitingFile,
  }: { readonly verdict: Verdict; readonly last: LastEvent | null; readonly onWaitingFile: (file: WaitingFile) => void },
) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  useEffect(() => {
    if (refusal.at > 0) setAll(true);
  }, [refusal.at]);
  const doubts = doubtsOf(process, draft);
  const issues = refusal.at > 0 ? refusal.issues : judged(process, draft, verdict.issues);
  const said = placed(issues, placesOf(process, draft));
  const showsAt = (pointer: string): boolean =>
    all || refusal.at > 0 || left.has(pointer) || [...left].some((one) => one.startsWith(`${pointer}/`));
  const state: FormState = {
    said: (pointer) => (showsAt(pointer) ? (said.get(pointer) ?? []) : []),
    wrongIn: (pointer) => [...said.keys()].some((one) => one.startsWith(`${pointer}/`) && showsAt(one)),
    onChange: (path, value) => set({ filled: withAt(draft.filled, path, value) }),
    onAdd: (path, item) => set((now) => ({ filled: withAt(now.filled, [...path, String(lengthAt(now.filled, path))], item) })),
    documentTypes: documentTypesOf(process),
    onWaitingFile,
    onLeave: (pointer) => afterPress(() => setLeft((before) => new Set(before).add(pointer))),
    names: new Map((process.kdes ?? []).flatMap(({ path, name }) => (path === undefined ? [] : [[`/metadata${path}`, name]]))),
    needed: neededBy(process, draft.outputTlc !== ''),
    doubts: new Map(doubts.map((doubt) => [doubt.pointer, doubt])),
    places: usePlaces(last),
  };
  return { state, all: all || refusal.at > 0, said, whole: said.get('') ?? [], issues };
}

/** The sites of the organisation, and where it recorded this the last time. */
function usePlaces(last: LastEvent | null): FormState['places'] {
  const orgId = me.value?.orgId ?? null;
  const organisation = useLoad(
    `sites of ${orgId}`,
    orKept('sites', async () => (orgId === null ? null : api().get<OrganisationView>(`/api/v1/organisations/${orgId}`))),
  );
  const sites = (organisation.data?.sites ?? []).map(({ name, gln, location }) =>
    knownPlace({ name, ...(gln !== null && { gln }), ...(location?.['type'] === undefined ? location : { geo: location }) }),
  );
  const before = (last?.metadata?.['location'] ?? null) as PlaceDocument | null;
  return [...sites, ...(before && sites.every(({ name }) => name !== before.name) ? [knownPlace(before)] : [])];
}

interface PlaceDocument {
  readonly name: string;
  readonly geo?: { readonly coordinates?: Position };
}

const knownPlace = (place: PlaceDocument): KnownPlace => ({
  name: place.name,
  at: place.geo?.coordinates ?? null,
  filledFor: (shape) => filledOf(shape, place),
});

function Faults({ of }: { readonly of: readonly Issue[] }) {
  return (
    <>
      {of.map(({ pointer, message, severity }) => (
        <p key={`${pointer} ${message}`} class={severity === 'error' ? 'problem' : 'notice'}>
          {inWords(message)}
        </p>
      ))}
    </>
  );
}

function State({ verdict: { busy, error }, issues }: { readonly verdict: Verdict; readonly issues: readonly Issue[] }) {
  const faults = issues.filter(({ severity }) => severity === 'error').length;
  const words =
    error !== null
      ? t('The service has not validated this yet. Your input is kept.')
      : busy
        ? t('Looking …')
        : faults === 0
          ? t('Ready to sign')
          : plural(faults, '{count} field needs attention.', '{count} fields need attention.');
  return (
    <p class="count" role="status">
      {words}
    </p>
  );
}
