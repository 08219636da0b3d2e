import { useState } from 'preact/hooks';
import type { WebhookView } from '#client';
import { Action, Form } from '../../parts/action';
import { Facts, Link, Section, Show, Status } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { Secret } from '../../parts/secret';
import { showTime } from '../../state/format';
import { useLoad } from '../../state/load';
import { go } from '../../state/router';
import { api } from '../../state/session';
import { Deliveries } from './deliveries';
import { Topics } from './topics';
import { stateOf } from './webhooks';
import { phrase, t } from '../../state/language';

const GRACES = [
  ['86400', phrase('A day')],
  ['3600', phrase('An hour')],
  ['604800', phrase('A week')],
  ['0', phrase('Not at all (the secret leaked)')],
] as const;

export default function WebhookPage({ id }: { readonly id: string }) {
  const path = { id };
  const webhook = useLoad(id, () => api().call('GET /api/v1/webhooks/{id}', { path }));
  const [tested, setTested] = useState(0);
  const [secret, setSecret] = useState<string | null>(null);
  const changed = (): void => {
    webhook.again();
    setTested((count) => count + 1);
  };
  return (
    <>
      <p>
        <Link to="/admin/webhooks">{t('All webhooks')}</Link>
      </p>
      <Show what={webhook}>
        {(shown) => (
          <>
            <h1>{shown.url}</h1>
            {secret && <Secret title={t('New secret.')} value={secret} onDone={() => setSecret(null)} />}
            <State of={shown} onChanged={changed} />
            <Change key={`${shown.url} ${shown.events.join()}`} of={shown} onChanged={changed} />
            <Rotate id={id} onRotated={setSecret} />
            <Deliveries id={id} reload={tested} onSettled={webhook.again} />
          </>
        )}
      </Show>
    </>
  );
}

function State({ of, onChanged }: { readonly of: WebhookView; readonly onChanged: () => void }) {
  const path = { id: of.id };
  const then = (asked: Promise<unknown>): Promise<void> => asked.then(onChanged);
  const switched = (active: boolean) => () => then(api().call('PATCH /api/v1/webhooks/{id}', { path, body: { active } }));
  return (
    <Section title={t('State')}>
      {of.paused && (
        <p class="notice">
          {t('Deliveries are paused since {time}: {reason} Fix the receiver, then resume: nothing is lost.', {
            time: showTime(of.paused.since),
            reason: of.paused.reason,
          })}
        </p>
      )}
      <Facts
        of={[
          [t('State'), <Status of={stateOf(of)} />],
          [t('Events'), of.events.map((topic) => (topic === '*' ? t('everything') : topic)).join(', ')],
          [t('Added'), showTime(of.createdAt)],
        ]}
      />
      <div class="actions">
        {of.active && <Action label={t('Send a test')} main run={() => then(api().call('POST /api/v1/webhooks/{id}/test', { path }))} />}
        {of.paused && <Action label={t('Resume')} main run={() => then(api().call('POST /api/v1/webhooks/{id}/resume', { path }))} />}
        {of.active ? (
          <Action label={t('Switch off')} sure={t('Deliveries stop, and waiting deliveries are discarded.')} run={switched(false)} />
        ) : (
          <Action label={t('Switch on')} run={switched(true)} />
        )}
        <Action
          label={t('Delete')}
          sure={t('Deliveries stop and the signing secret is deleted. This cannot be undone.')}
          run={async () => {
            await api().call('DELETE /api/v1/webhooks/{id}', { path });
            go('/admin/webhooks', { replace: true });
          }}
        />
      </div>
    </Section>
  );
}

function Change({ of, onChanged }: { readonly of: WebhookView; readonly onChanged: () => void }) {
  const [url, setUrl] = useState(of.url);
  const [events, setEvents] = useState<readonly string[]>(of.events);
  const same = url === of.url && events.join() === of.events.join();
  return (
    <Section title={t('Change')}>
      <Form
        label={t('Save')}
        disabled={same || events.length === 0}
        send={() =>
          api()
            .call('PATCH /api/v1/webhooks/{id}', { path: { id: of.id }, body: { url, events } })
            .then(onChanged)
        }
      >
        <Text label={t('URL')} type="url" required value={url} onChange={setUrl} />
        <Topics chosen={events} onChange={setEvents} />
      </Form>
    </Section>
  );
}

function Rotate({ id, onRotated }: { readonly id: string; readonly onRotated: (secret: string) => void }) {
  const [grace, setGrace] = useState('86400');
  const rotate = async (): Promise<void> => {
    const body = { gracePeriodSeconds: Number(grace) };
    onRotated((await api().call('POST /api/v1/webhooks/{id}/rotate-secret', { path: { id }, body })).secret ?? '');
    scrollTo(0, 0);
  };
  return (
    <Section title={t('Secret')}>
      <div class="stack">
        <Select label={t('Keep the old secret valid for')} value={grace} of={GRACES} onChange={setGrace} />
        <Action
          label={t('Create a new secret')}
          sure={t('Configure the new secret in the receiver before the old one expires.')}
          run={rotate}
        />
      </div>
    </Section>
  );
}
