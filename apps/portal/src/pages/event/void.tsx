import type { EventView } from '#client';
import { Select, Text } from '../../parts/inputs';
import { Sign } from '../../parts/sign';
import { useDraft } from '../../state/load';
import type { Prepared } from '../../state/signing';
import { api } from '../../state/session';
import { phrase, t, tx } from '../../state/language';

export const REASONS = [
  ['incorrect_data', phrase('What it says is wrong')],
  ['did_not_occur', phrase('It did not happen')],
] as const;

/** Declares an event wrong and undoes what it did to lots. */
export function Void({ event, again }: { readonly event: EventView; readonly again: () => void }) {
  const [draft, setDraft] = useDraft(`void ${event.id}`, { reason: 'did_not_occur', note: '' });
  const made = event.outputs.map(({ tlc }) => tlc).filter((tlc) => tlc !== null);
  const used = event.inputs.map(({ tlc }) => tlc).filter((tlc) => tlc !== null);
  return (
    <details>
      <summary>{t('Void it')}</summary>
      <div class="stack">
        <p class="hint">
          {t('For an event that did not happen, or whose lots or quantities are wrong. Record the right event afterwards.')}
        </p>
        <Select label={t('Why')} of={REASONS} value={draft.reason} onChange={(reason) => setDraft({ ...draft, reason })} />
        <Text label={t('Note (optional)')} value={draft.note} maxLength={2000} onChange={(note) => setDraft({ ...draft, note })} />
        <Sign
          final
          label={t('Void this event')}
          type="void"
          name={`void ${event.id}`}
          says={
            <>
              <p>{t('You declare this event wrong. It stays in the record, and counts no more.')}</p>
              {made.length > 0 && <p>{tx('Retired as void: {lots}', { lots: <strong>{made.join(', ')}</strong> })}</p>}
              {used.length > 0 && <p>{tx('Gets back what was used: {lots}', { lots: <strong>{used.join(', ')}</strong> })}</p>}
              <p>{t('This cannot be undone. You can record the event again.')}</p>
            </>
          }
          prepare={() =>
            api().post<Prepared>(`/api/v1/events/${event.id}/void/prepare`, {
              reason: draft.reason,
              ...(draft.note.trim() && { metadata: { note: draft.note.trim() } }),
            })
          }
          onLanded={again}
        />
      </div>
    </details>
  );
}
