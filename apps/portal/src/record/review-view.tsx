import { useEffect, useRef } from 'preact/hooks';
import type { TrackedTransaction } from '#client';
import { Facts, Section } from '../parts/basics';
import { useHolderName } from '../parts/holder-field';
import { Action } from '../parts/action';
import { SAID_ABOVE, Sign, isUnderWay } from '../parts/sign';
import type { Prepared } from '../state/signing';
import { api } from '../state/session';
import { isOutOfReach, useLine } from '../state/line';
import type { WaitingFile } from '../waiting/store.js';
import { uploadAll, waitForLine } from '../waiting/waiting';
import { type EventDraft, requestOf } from './draft.js';
import type { Process } from './process.js';
import { reviewOf } from './review.js';
import { phrase, t } from '../state/language';

/** Says in words what will be recorded, before it is signed. */
export function ReviewView({
  process,
  draft,
  files,
  warnings,
  onKept,
  onLanded,
  onRefused,
  onBack,
}: {
  readonly process: Process;
  readonly draft: EventDraft;
  /** Not uploaded yet. */
  readonly files: readonly WaitingFile[];
  readonly warnings: readonly string[];
  /** It waits on this device. */
  readonly onKept: () => void;
  readonly onLanded: (landing: TrackedTransaction) => void;
  readonly onRefused: (problem: unknown) => void;
  readonly onBack: () => void;
}) {
  const isOnline = useLine(true);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  const { path, body } = requestOf(process, draft);
  const { sentences, facts } = reviewOf(process, draft, useHolderName(draft.to));
  return (
    <>
      <h2 class="title" tabIndex={-1} ref={heading}>
        {t('Check before you sign')}
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
            {t('{warning}. You can record it without.', { warning: warning.charAt(0).toUpperCase() + warning.slice(1) })}
          </p>
        ))}
        {!isOnline && (
          <KeepForLater
            keep={() => waitForLine({ processType: process.processType, title: process.label, sentences, path, body, files, draft })}
            onKept={onKept}
          />
        )}
        <div class="actions">
          {(isOnline || isUnderWay(nameOfSigning(process))) && (
            <Sign
              label={t(SIGN[draft.handing])}
              type={process.processType.slice(0, 64)}
              says={SAID_ABOVE}
              name={nameOfSigning(process)}
              prepare={async () => {
                await uploadAll(files);
                return api().post<Prepared>(path, body);
              }}
              onLanded={onLanded}
              onRefused={(problem) => {
                isOutOfReach(problem);
                onRefused(problem);
              }}
            />
          )}
          <button type="button" onClick={onBack}>
            {t('Change something')}
          </button>
        </div>
      </Section>
    </>
  );
}

/** What was begun is kept under it. */
export const nameOfSigning = ({ processType }: Process): string => `record ${processType}`;

const SIGN = { offer: phrase('Transfer and record'), accept: phrase('Accept and record'), none: phrase('Sign and record') } as const;

/** Without a line the record waits on the device. */
const KeepForLater = ({ keep, onKept }: { readonly keep: () => Promise<void>; readonly onKept: () => void }) => (
  <div class="notice">
    <p>{t('The service does not answer. This record can wait on this device, and be sent when the service answers again.')}</p>
    <Action main label={t('Keep it and send it later')} run={async () => (await keep(), onKept())} />
  </div>
);
