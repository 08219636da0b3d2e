import { useState } from 'preact/hooks';
import { Empty, Link, Show, Table } from '../../parts/basics';
import { Action } from '../../parts/action';
import { showTime, words } from '../../state/format';
import { plural, t } from '../../state/language';
import { useLoad } from '../../state/load';
import { saveFile } from '../../state/save-file';
import { administersAll } from '../../state/rights';
import { api, me } from '../../state/session';
import { Subscriptions } from './subscriptions';

interface EpcisEvent {
  readonly type: string;
  readonly eventID?: string;
  readonly eventTime: string;
  readonly bizStep?: string;
  readonly epcList?: readonly string[];
  readonly childEPCs?: readonly string[];
  readonly outputEPCList?: readonly string[];
  readonly outputQuantityList?: readonly { readonly epcClass: string }[];
  readonly quantityList?: readonly { readonly epcClass: string }[];
  readonly parentID?: string;
  readonly bizLocation?: { readonly id: string };
}
interface Results {
  readonly epcisBody: { readonly queryResults: { readonly resultsBody: { readonly eventList: readonly EpcisEvent[] } } };
}

const PER_PAGE = 100;

/** What a query finds now, the newest first. */
export default function QueryPage({ id }: { readonly id: string }) {
  const [more, setMore] = useState(1);
  const path = `/epcis/${me.value!.tid}/queries/${encodeURIComponent(id)}/events?perPage=${PER_PAGE * more}`;
  const results = useLoad(path, () => api().get<Results>(path));
  return (
    <>
      <p>
        <Link to="/exchange/queries">{t('All queries')}</Link>
      </p>
      <h1>{id}</h1>
      <div class="actions">
        <Action label={t('Refresh')} run={() => Promise.resolve(results.again())} />
        <Action label={t('Download as EPCIS (JSON)')} run={async () => saveFile(await api().download(path), `${id}.json`)} />
      </div>
      <Show what={results}>
        {({ epcisBody }) => {
          const events = epcisBody.queryResults.resultsBody.eventList;
          if (events.length === 0) return <Empty>{t('The query finds no events.')}</Empty>;
          return (
            <>
              <p class="hint">{plural(events.length, '{count} event', '{count} events')}</p>
              <Table
                caption={t('Events of the query')}
                rows={events.map((event, index) => ({ index, event }))}
                keyOf={({ index }) => index}
                columns={[
                  { name: t('Event time'), show: ({ event }) => showTime(event.eventTime) },
                  { name: t('Kind of event'), show: ({ event }) => words(event.type) },
                  { name: t('Activity (bizStep)'), show: ({ event }) => words(event.bizStep?.split(/[/:-]/).at(-1)) },
                  { name: t('Things'), show: ({ event }) => <Things of={event} /> },
                  { name: t('Place'), show: ({ event }) => event.bizLocation?.id ?? '–' },
                ]}
              />
              {events.length === PER_PAGE * more && more < 10 && (
                <button type="button" onClick={() => setMore(more + 1)}>
                  {t('Show more')}
                </button>
              )}
            </>
          );
        }}
      </Show>
      {administersAll.value && <Subscriptions of={id} />}
    </>
  );
}

const SHOWN = 3;

function Things({ of: event }: { readonly of: EpcisEvent }) {
  const classes = [...(event.quantityList ?? []), ...(event.outputQuantityList ?? [])].map(({ epcClass }) => epcClass);
  const all = [
    ...(event.parentID ? [event.parentID] : []),
    ...(event.epcList ?? []),
    ...(event.outputEPCList ?? []),
    ...(event.childEPCs ?? []),
    ...classes,
  ];
  if (all.length === 0) return <>–</>;
  return (
    <>
      {all.slice(0, SHOWN).map((one) => (
        <div key={one}>{one}</div>
      ))}
      {all.length > SHOWN && plural(all.length - SHOWN, 'and {count} more', 'and {count} more')}
    </>
  );
}
