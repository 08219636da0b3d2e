import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  ApiProblem,
  type TrackedTransaction,
  type LotView,
  type OrganisationView,
  type PreparedCustodyView,
  type PreparedEventView,
} from '#client';
import { Field, LotLink, Section } from '../parts/basics';
import { HolderField } from '../parts/holder-field';
import { Sign } from '../parts/sign';
import { useDraft, useLoad } from '../state/load';
import { afterPress } from '../state/press';
import { search } from '../state/router';
import { api, me } from '../state/session';
import { type EventDraft, type Handing, emptyDraft, eventOf, handingOf, ofLot, placesOf } from './draft.js';
import { Fields, type FormState } from './fields';
import { filledOf, withAt } from './filled.js';
import { type Issue, placed } from './issues.js';
import { LotPicker, chosenOf } from './lot-picker';
import { type Process, beginning } from './process.js';
import { type Verdict, useVerdict } from './verdict';

const HANDINGS: Readonly<Record<Handing, string>> = {
  offer: 'Transfer the lots to the next holder',
  accept: 'Accept the lots',
  none: 'Record only; the holder stays the same',
};

/** A form made from the process map's schema. The service validates it during input; each issue is shown at its field. */
export function EventForm({ process }: { readonly process: Process }) {
  const empty = useMemo(() => emptyDraft(process, beginning(process, new Date())), [process]);
  const [draft, setDraft] = useDraft(`record ${process.processType}`, empty);
  const [landed, setLanded] = useState<TrackedTransaction | null>(null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const [refused, setRefused] = useState<readonly Issue[]>([]);
  useLotOfAddress(draft, setDraft);

  const set = (change: Partial<EventDraft>): void => {
    setLanded(null);
    setRefused([]);
    setDraft({ ...draft, ...change });
  };
  const verdict = useVerdict(process, draft);
  const issues = refused.length > 0 ? refused : verdict.issues;
  const said = placed(issues, placesOf(process, draft));
  const showsAt = (pointer: string): boolean => all || left.has(pointer) || [...left].some((one) => one.startsWith(`${pointer}/`));
  const form: FormState = {
    said: (pointer) => (showsAt(pointer) ? (said.get(pointer) ?? []) : []),
    onChange: (path, value) => set({ filled: withAt(draft.filled, path, value) }),
    onLeave: (pointer) => afterPress(() => setLeft((before) => new Set(before).add(pointer))),
    names: new Map((process.kdes ?? []).flatMap(({ path, name }) => (path === undefined ? [] : [[`/metadata${path}`, name]]))),
    places: usePlaces(),
  };
  const handsOn = draft.handing !== 'none';
  const prepare = (): Promise<PreparedEventView | PreparedCustodyView> => {
    setAll(true);
    return handsOn
      ? api().post('/api/v1/custody/prepare', handingOf(process, draft))
      : api().post('/api/v1/events/prepare', eventOf(process, draft));
  };
  const onLanded = (landing: TrackedTransaction): void => {
    setLanded(landing);
    setAll(false);
    setLeft(new Set());
    setDraft(emptyDraft(process, beginning(process, new Date())));
  };
  const whole = said.get('') ?? [];
  return (
    <>
      {process.description && <p class="lead">{process.description}</p>}
      {process.inputs.max !== 0 && (
        <Section title="Input lots">
          <LotPicker
            process={process}
            handing={draft.handing}
            lots={draft.lots}
            said={(index) => ofLot(said, index)}
            onChange={(lots) => set({ lots })}
          />
          {all && <Faults of={said.get('/inputTokenIds') ?? []} />}
        </Section>
      )}
      {process.kind === 'transfer' && <Custody draft={draft} set={set} />}
      {process.outputs.max > 0 && (
        <Output process={process} draft={draft} set={set} said={(at) => (all || draft.outputTlc ? (said.get(at) ?? []) : [])} />
      )}
      <Section title="What happened">
        <Fields form={form} fields={process.shape.fields} path={[]} filled={draft.filled} />
      </Section>
      <Section title="Review and sign">
        <State verdict={verdict} showsAll={all} />
        {(all || whole.some(({ severity }) => severity === 'warning')) && <Faults of={whole} />}
        <Sign
          label={handsOn ? `${draft.handing === 'offer' ? 'Transfer' : 'Accept'} and record` : 'Sign and record'}
          type={process.processType.slice(0, 64)}
          name={`record ${process.processType}`}
          prepare={prepare}
          onLanded={onLanded}
          onRefused={(problem) => setRefused(faultsOf(problem))}
        />
        {landed && <Landed landing={landed} />}
      </Section>
    </>
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

function usePlaces(): FormState['places'] {
  const orgId = me.value?.orgId ?? null;
  const organisation = useLoad(`sites of ${orgId}`, async () =>
    orgId === null ? null : api().get<OrganisationView>(`/api/v1/organisations/${orgId}`),
  );
  return (organisation.data?.sites ?? []).map(({ name, gln, location }) => ({
    name,
    filledFor: (shape) => filledOf(shape, { name, ...(gln !== null && { gln }), ...location }),
  }));
}

const faultsOf = (problem: unknown): readonly Issue[] =>
  problem instanceof ApiProblem ? problem.errors.map(({ pointer, message }) => ({ pointer, message, severity: 'error' as const })) : [];

function Faults({ of }: { readonly of: readonly Issue[] }) {
  return (
    <>
      {of.map(({ pointer, message, severity }) => (
        <p key={`${pointer} ${message}`} class={severity === 'error' ? 'problem' : 'notice'}>
          {pointer && <code>{pointer}</code>} {message}
        </p>
      ))}
    </>
  );
}

function State({ verdict: { busy, error, issues }, showsAll }: { readonly verdict: Verdict; readonly showsAll: boolean }) {
  const faults = issues.filter(({ severity }) => severity === 'error').length;
  const words =
    error !== null
      ? 'The service has not validated this yet. Your input is kept.'
      : busy
        ? 'Looking …'
        : faults === 0
          ? 'Ready to sign'
          : `${faults} ${faults === 1 ? 'field needs' : 'fields need'} attention${showsAll ? ', see above' : ''}.`;
  return (
    <p class="count" role="status">
      {words}
    </p>
  );
}

function Custody({ draft, set }: { readonly draft: EventDraft; readonly set: (change: Partial<EventDraft>) => void }) {
  return (
    <Section title="Custody">
      <div class="stack">
        <Field label="Custody action">
          <select value={draft.handing} onChange={({ currentTarget }) => set({ handing: currentTarget.value as Handing, lots: [] })}>
            {Object.entries(HANDINGS).map(([key, label]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        {draft.handing === 'offer' && (
          <HolderField label="Next holder" hint="Wallet address or company name" value={draft.to} onChange={(to) => set({ to })} />
        )}
      </div>
    </Section>
  );
}

function Output({
  process,
  draft,
  set,
  said,
}: {
  readonly process: Process;
  readonly draft: EventDraft;
  readonly set: (change: Partial<EventDraft>) => void;
  readonly said: (at: string) => readonly Issue[];
}) {
  const made = process.assetTypes[process.outputs.assetType ?? '']?.name;
  const sentence = (at: string): string | undefined =>
    said(at)
      .map(({ message }) => message)
      .join('; ') || undefined;
  const template = process.tlc?.template;
  return (
    <Section title={made ? `Output lot: ${made}` : 'Output lot'}>
      <div class="fields">
        <Field
          label={template ? 'Lot code (optional)' : 'Lot code'}
          hint={template && `Leave empty to generate one as ${template}`}
          error={sentence('/outputTlc')}
        >
          <input
            value={draft.outputTlc}
            spellcheck={false}
            onInput={({ currentTarget }) => set({ outputTlc: currentTarget.value.trim() })}
          />
        </Field>
        <HolderField
          label="Holder (optional)"
          hint="Leave empty to hold it yourself"
          value={draft.outputCustodian}
          error={sentence('/outputCustodian')}
          onChange={(outputCustodian) => set({ outputCustodian })}
        />
      </div>
    </Section>
  );
}

function Landed({ landing }: { readonly landing: TrackedTransaction }) {
  const { tokenIds = [] } = (landing.effects ?? {}) as { readonly tokenIds?: readonly (number | string)[] };
  return (
    <p class="notice" role="status">
      Event recorded.{' '}
      {tokenIds.map((id) => (
        <span key={id}>
          <LotLink id={id}>Open lot {id}</LotLink>{' '}
        </span>
      ))}
    </p>
  );
}
