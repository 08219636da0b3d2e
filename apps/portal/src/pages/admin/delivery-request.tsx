import { useState } from 'preact/hooks';
import { Show } from '../../parts/basics';
import { t } from '../../state/language';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';

/** What the receiver gets, loaded when somebody wants to see it. */
export function DeliveryRequest({ id, deliveryId }: { readonly id: string; readonly deliveryId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Request: headers and payload')}</summary>
      {open && <Content id={id} deliveryId={deliveryId} />}
    </details>
  );
}

function Content({ id, deliveryId }: { readonly id: string; readonly deliveryId: string }) {
  const request = useLoad(deliveryId, () =>
    api().call('GET /api/v1/webhooks/{id}/deliveries/{deliveryId}/request', { path: { id, deliveryId } }),
  );
  return (
    <Show what={request}>
      {({ url, headers, body }) => (
        <>
          <p class="hint">{t('The payload as it was sent. Time and signatures are those of a resend now.')}</p>
          <pre class="body" tabIndex={0} aria-label={t('Headers')}>
            {[`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)].join('\n')}
          </pre>
          {body === null ? (
            <p class="hint">{t('The payload is kept no longer.')}</p>
          ) : (
            <pre class="body" tabIndex={0} aria-label={t('Payload')}>
              {pretty(body)}
            </pre>
          )}
        </>
      )}
    </Show>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
