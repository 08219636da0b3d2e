import '../acting.css';
import type { EventView } from '#client';
import { Facts, Link, LotLink, Section, Show, Status, Table } from '../../parts/basics';
import { showDay, showQuantity, showTime, words } from '../../state/format';
import { useLoad } from '../../state/load';
import { api, me } from '../../state/session';
import { Documents, documentsOf } from '../lot/documents';
import { Content, nameOfPath } from './content';
import { Evidence } from './evidence';
import { Supersede } from './supersede';
import { Void } from './void';
import { t, tx } from '../../state/language';

/** One event: what happened in words, what proves it, and how it is corrected. */
export default function EventPage({ id }: { readonly id: string }) {
  const at = `/api/v1/events/${id}`;
  const event = useLoad(at, () => api().get<EventView>(at));
  return <Show what={event}>{(shown) => <Shown key={shown.updatedAt} event={shown} again={event.again} />}</Show>;
}

const corrects = (): boolean => me.value!.roles.some((role) => role === 'COMPLIANCE' || role === 'TENANT_ADMIN');

function Shown({ event, again }: { readonly event: EventView; readonly again: () => void }) {
  const landed = event.status === 'recorded' || event.status === 'superseded';
  const documents = documentsOf(event);
  return (
    <>
      <h1>{event.processLabel ?? words(event.processType)}</h1>
      <p class="lead">
        {inWords(event)} <Status of={event.status} />
        {!event.confirmed && landed && <span class="status">{t('Not final yet')}</span>}
      </p>
      <Corrections of={event} />
      <WhatHappened event={event} />
      <Lots title={t('Inputs')} caption={t('Lots that went in')} of={event.inputs} />
      <Lots title={t('Outputs')} caption={t('Lots that came out')} of={event.outputs} />
      <Content event={event} />
      <Section title={t('Documents')}>
        {documents.length === 0 ? (
          <p class="empty">{t('No documents')}</p>
        ) : (
          <Documents caption={t('Documents of this event')} of={documents} where={t('Event')} />
        )}
      </Section>
      <Evidence event={event} />
      {landed && corrects() && event.supersededBy === null && (
        <Section title={t('Correct this event')}>
          <div class="stack">
            <Supersede event={event} again={again} />
            {event.supersedes === null && <Void event={event} again={again} />}
          </div>
        </Section>
      )}
    </>
  );
}

type Line = EventView['inputs'][number] | EventView['outputs'][number];
const nameOf = ({ tlc, tokenId }: Line): string => tlc ?? (tokenId === null ? t('a lot') : t('lot {id}', { id: String(tokenId) }));
const amountOf = (line: Line): string => `${line.quantity === null ? '' : `${showQuantity(line.quantity, line.uom)} of `}${nameOf(line)}`;
const listed = (lines: readonly Line[]): string => lines.map(amountOf).join(', ');

/** One sentence, as somebody would say it. */
export function inWords({ actor, inputs, outputs, eventTime, recordTime, processLabel, processType }: EventView): string {
  const who = actor.orgName ?? t('Somebody');
  const what = processLabel ?? words(processType);
  const [used, made] = [listed(inputs), listed(outputs)];
  const effect = made === '' ? (used === '' ? '' : `: ${used}`) : used === '' ? `: ${made}` : `: ${made} from ${used}`;
  return `${who}, ${showDay(eventTime ?? recordTime)}: ${what}${effect}.`;
}

function WhatHappened({ event }: { readonly event: EventView }) {
  const { eventTime, eventTimeZoneOffset, recordTime, late, actor, location, processMapName, processMapVersion, warnings } = event;
  return (
    <Section title={t('What happened')}>
      <Facts
        of={[
          [
            t('When'),
            eventTime === null
              ? t('not stated')
              : `${showTime(eventTime)}${eventTimeZoneOffset ? ` (${t('there: UTC{offset}', { offset: eventTimeZoneOffset })})` : ''}`,
          ],
          [t('Recorded'), `${showTime(recordTime)}${late ? `, ${t('late')}` : ''}`],
          [t('By'), <span title={actor.address ?? undefined}>{actor.orgName ?? actor.address ?? '–'}</span>],
          [t('Where'), placeOf(location)],
          [t('Process map'), processMapName && `${processMapName} ${processMapVersion ?? ''}`],
        ]}
      />
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning.replace(/^\/(\S*): /, (_, path: string) => `${nameOfPath(path.split('/'))}: `)}
        </p>
      ))}
    </Section>
  );
}

/** Name, town and country of a place, as far as it says them. */
function placeOf(place: Readonly<Record<string, unknown>> | null): string {
  const parts = ['name', 'street', 'city', 'country'].map((name) => place?.[name]).filter((part) => typeof part === 'string');
  return parts.join(', ') || '–';
}

function Lots({ title, caption, of }: { readonly title: string; readonly caption: string; readonly of: readonly Line[] }) {
  if (of.length === 0) return null;
  return (
    <Section title={title}>
      <Table
        caption={caption}
        rows={of}
        keyOf={(line) => `${line.tokenId} ${nameOf(line)}`}
        columns={[
          { name: t('Lot'), show: (line) => (line.tokenId === null ? nameOf(line) : <LotLink id={line.tokenId}>{nameOf(line)}</LotLink>) },
          { name: t('Product'), show: ({ assetType }) => words(assetType) },
          { name: t('Quantity'), number: true, show: ({ quantity, uom }) => showQuantity(quantity, uom) },
          { name: t('As'), show: (line) => words('consumption' in line ? line.consumption : line.role) },
        ]}
      />
    </Section>
  );
}

function Corrections({ of: { supersedes, supersededBy, errorDeclaration, failureReason } }: { readonly of: EventView }) {
  const declared = errorDeclaration as { readonly reason?: string; readonly declarationTime?: string } | null;
  return (
    <>
      {failureReason && <p class="notice">{t('It failed: {reason}', { reason: failureReason })}</p>}
      {supersedes && (
        <p class="notice">{tx('This corrects {event}.', { event: <Link to={`/events/${supersedes}`}>{t('an earlier event')}</Link> })}</p>
      )}
      {supersededBy && (
        <p class="notice">
          {tx('This was corrected: {event}. What the correction says counts.', {
            event: <Link to={`/events/${supersededBy}`}>{t('see the correction')}</Link>,
          })}
        </p>
      )}
      {declared && (
        <p class="notice">
          {t('Declared wrong: {reason}', { reason: words(declared.reason) })}
          {declared.declarationTime ? `, ${showTime(declared.declarationTime)}` : ''}
        </p>
      )}
    </>
  );
}
