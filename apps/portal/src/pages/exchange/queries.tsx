import { useState } from 'preact/hooks';
import { Action, Form } from '../../parts/action';
import { Empty, Field, Link, Section, Show, Table } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { showTime, words } from '../../state/format';
import { t } from '../../state/language';
import { useLoad } from '../../state/load';
import { administersAll } from '../../state/rights';
import { go } from '../../state/router';
import { api, me } from '../../state/session';

interface NamedQuery {
  readonly name: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
}

const repository = (): string => `/epcis/${me.value!.tid}/queries`;

/** Questions to the EPCIS repository that have a name, so that programs and people ask the same. */
export default function QueriesPage() {
  const queries = useLoad('epcis queries', () => api().get<{ readonly queries: readonly NamedQuery[] }>(`${repository()}?perPage=100`));
  const remove = (name: string) => (): Promise<void> => api().request<void>('DELETE', `${repository()}/${name}`).then(queries.again);
  return (
    <>
      <Section title={t('Queries')}>
        <p class="hint">{t('A query finds events of the EPCIS repository, those on chain and those that were captured only.')}</p>
        <Show what={queries}>
          {({ queries: found }) =>
            found.length === 0 ? (
              <Empty>{t('No queries yet.')}</Empty>
            ) : (
              <Table
                caption={t('Queries')}
                rows={found}
                keyOf={({ name }) => name}
                columns={[
                  { name: t('Name'), show: ({ name }) => <Link to={`/exchange/queries/${encodeURIComponent(name)}`}>{name}</Link> },
                  { name: t('Asks for'), show: ({ query }) => <code>{JSON.stringify(query)}</code> },
                  { name: t('Defined'), show: ({ createdAt }) => showTime(createdAt) },
                  ...(administersAll.value
                    ? [
                        {
                          name: t('Change'),
                          show: ({ name }: NamedQuery) => (
                            <Action label={t('Delete')} sure={t('Programs that ask this query get an error.')} run={remove(name)} />
                          ),
                        },
                      ]
                    : []),
                ]}
              />
            )
          }
        </Show>
      </Section>
      {administersAll.value && <Define />}
    </>
  );
}

const EVENT_TYPES = ['ObjectEvent', 'AggregationEvent', 'TransformationEvent', 'AssociationEvent'];
const ACTIVITIES = [
  'commissioning',
  'shipping',
  'receiving',
  'packing',
  'unpacking',
  'inspecting',
  'transforming',
  'storing',
  'retail_selling',
  'destroying',
];

function Define() {
  const [name, setName] = useState('');
  const [asked, setAsked] = useState({
    eventType: '',
    EQ_bizStep: '',
    GE_eventTime: '',
    LT_eventTime: '',
    MATCH_anyEPC: '',
    EQ_bizLocation: '',
  });
  const set = (change: Partial<typeof asked>): void => setAsked({ ...asked, ...change });
  const define = async (): Promise<void> => {
    const query = Object.fromEntries(
      Object.entries(asked).flatMap(([key, value]) =>
        value === '' ? [] : [[key, key.endsWith('Time') ? new Date(value).toISOString() : [value]]],
      ),
    );
    await api().post(repository(), { name, query });
    go(`/exchange/queries/${encodeURIComponent(name)}`);
  };
  return (
    <Section title={t('New query')}>
      <Form label={t('Save and run the query')} send={define}>
        <Field label={t('Name')} hint={t('Letters, digits, - and _')}>
          <input
            required
            maxLength={100}
            pattern="[A-Za-z0-9_\-]+"
            title={t('Letters, digits, - and _')}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </Field>
        <div class="fields">
          <Select
            label={t('Kind of event')}
            none={t('All')}
            of={EVENT_TYPES.map((one) => [one, words(one)] as const)}
            value={asked.eventType}
            onChange={(eventType) => set({ eventType })}
          />
          <Select
            label={t('Activity (bizStep)')}
            none={t('All')}
            of={ACTIVITIES.map((one) => [one, words(one)] as const)}
            value={asked.EQ_bizStep}
            onChange={(activity) => set({ EQ_bizStep: activity })}
          />
          <Text label={t('Since')} type="datetime-local" value={asked.GE_eventTime} onChange={(since) => set({ GE_eventTime: since })} />
          <Text label={t('Before')} type="datetime-local" value={asked.LT_eventTime} onChange={(before) => set({ LT_eventTime: before })} />
          <Text label={t('Thing (EPC or Digital Link)')} value={asked.MATCH_anyEPC} onChange={(epc) => set({ MATCH_anyEPC: epc.trim() })} />
          <Text
            label={t('Place (EPC or Digital Link)')}
            value={asked.EQ_bizLocation}
            onChange={(place) => set({ EQ_bizLocation: place.trim() })}
          />
        </div>
      </Form>
    </Section>
  );
}
