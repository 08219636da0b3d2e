import { useEffect, useRef } from 'preact/hooks';
import type { TrackedTransaction } from '#client';
import { Facts, Section } from '../parts/basics';
import { useHolderName } from '../parts/holder-field';
import { Sign } from '../parts/sign';
import type { Prepared } from '../state/signing';
import type { EventDraft } from './draft.js';
import type { Process } from './process.js';
import { reviewOf } from './review.js';

/** Says in words what will be recorded, before it is signed. */
export function ReviewView({
  process,
  draft,
  warnings,
  prepare,
  onLanded,
  onRefused,
  onBack,
}: {
  readonly process: Process;
  readonly draft: EventDraft;
  readonly warnings: readonly string[];
  readonly prepare: () => Promise<Prepared>;
  readonly onLanded: (landing: TrackedTransaction) => void;
  readonly onRefused: (problem: unknown) => void;
  readonly onBack: () => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  const { sentences, facts } = reviewOf(process, draft, useHolderName(draft.to));
  return (
    <>
      <h2 class="title" tabIndex={-1} ref={heading}>
        Check before you sign
      </h2>
      <Section title={process.label}>
        {sentences.map((sentence) => (
          <p key={sentence} class="said">
            {sentence}
          </p>
        ))}
        <Facts of={facts} />
        {warnings.map((warning) => (
          <p key={warning} class="notice">
            {warning.charAt(0).toUpperCase() + warning.slice(1)}. You can record it without.
          </p>
        ))}
        <div class="actions">
          <Sign
            label={signLabel(draft)}
            type={process.processType.slice(0, 64)}
            name={nameOfSigning(process)}
            prepare={prepare}
            onLanded={onLanded}
            onRefused={onRefused}
          />
          <button type="button" onClick={onBack}>
            Change something
          </button>
        </div>
      </Section>
    </>
  );
}

/** What was begun is kept under it. */
export const nameOfSigning = ({ processType }: Process): string => `record ${processType}`;

const signLabel = ({ handing }: EventDraft): string =>
  ({ offer: 'Transfer and record', accept: 'Accept and record', none: 'Sign and record' })[handing];
