import { useState } from 'preact/hooks';
import type { WebhookView, WebhookWithSecretView } from '#client';
import { Form } from '../../parts/action';
import { Empty, Link, Section, Show, Status, Table } from '../../parts/basics';
import { Text } from '../../parts/inputs';
import { Secret } from '../../parts/secret';
import { showTime } from '../../state/format';
import { t } from '../../state/language';
import { useDraft, useLoad } from '../../state/load';
import { api } from '../../state/session';
import { Topics } from './topics';

const EMPTY = { url: '', events: ['*'] as readonly string[] };

export const stateOf = ({ active, paused }: WebhookView): string => (paused ? 'paused' : active ? 'active' : 'switched_off');

export default function WebhooksPage() {
  const webhooks = useLoad('webhooks', () => api().call('GET /api/v1/webhooks'));
  const [made, setMade] = useState<WebhookWithSecretView | null>(null);
  return (
    <>
      <h1>{t('Webhooks')}</h1>
      {made && <Secret title={t('Signing secret of {url}.', { url: made.url })} value={made.secret ?? ''} onDone={() => setMade(null)} />}
      <Section title={t('Endpoints')}>
        <Show what={webhooks}>
          {(all) =>
            all.length === 0 ? (
              <Empty>{t('No webhooks yet. Add the URL of a system that should receive events.')}</Empty>
            ) : (
              <Table
                caption={t('Webhooks')}
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  { name: t('URL'), show: ({ id, url }) => <Link to={`/admin/webhooks/${id}`}>{url}</Link> },
                  { name: t('Events'), show: ({ events }) => events.map((topic) => (topic === '*' ? t('everything') : topic)).join(', ') },
                  { name: t('Status'), show: (webhook) => <Status of={stateOf(webhook)} /> },
                  { name: t('Since'), show: ({ createdAt }) => showTime(createdAt) },
                ]}
              />
            )
          }
        </Show>
      </Section>
      <AddWebhook
        onAdded={(webhook) => {
          setMade(webhook);
          webhooks.again();
        }}
      />
    </>
  );
}

/** 32 random bytes: in the memory of this page only. */
const newSecret = (): string => `whsec_${btoa(String.fromCodePoint(...crypto.getRandomValues(new Uint8Array(32))))}`;

/** The receiver has to answer the test request, so it needs the secret first. */
function OwnSecret({ value }: { readonly value: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div class="notice">
      <p>{t('First give your receiver this signing secret: the test request is signed with it.')}</p>
      <p>
        <code class="own-secret">{value}</code>
      </p>
      <button
        type="button"
        onClick={() =>
          void navigator.clipboard.writeText(value).then(
            () => setCopied(true),
            () => setCopied(false),
          )
        }
      >
        {copied ? t('Copied') : t('Copy the secret')}
      </button>
    </div>
  );
}

function AddWebhook({ onAdded }: { readonly onAdded: (made: WebhookWithSecretView) => void }) {
  const [draft, setDraft] = useDraft('webhook', EMPTY);
  const [secret, setSecret] = useState(newSecret);
  const add = async (): Promise<void> => {
    onAdded(await api().call('POST /api/v1/webhooks', { body: { ...draft, secret } }));
    setDraft(EMPTY);
    setSecret(newSecret());
  };
  return (
    <Section title={t('Add a webhook')}>
      <OwnSecret value={secret} />
      <Form label={t('Add the webhook')} send={add} disabled={draft.url.trim() === '' || draft.events.length === 0}>
        <Text
          label={t('Address')}
          type="url"
          required
          placeholder="https://"
          hint={t('We send a test request to this URL when you save.')}
          value={draft.url}
          onChange={(url) => setDraft({ ...draft, url })}
        />
        <Topics chosen={draft.events} onChange={(events) => setDraft({ ...draft, events })} />
      </Form>
    </Section>
  );
}
