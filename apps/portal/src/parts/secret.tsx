import { useState } from 'preact/hooks';
import { t } from '../state/language';

/** A secret that the service shows once. It is only in the memory of this page: after closing or a reload it is gone. */
export function Secret({ title, value, onDone }: { readonly title: string; readonly value: string; readonly onDone: () => void }) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = (): void => {
    navigator.clipboard.writeText(value).then(
      () => setCopied(t('Copied.')),
      () => setCopied(t('The browser blocked copying. Select the text and copy it.')),
    );
  };
  return (
    <div class="notice secret" role="status">
      <p>
        <strong>{title}</strong> {t('Copy it now and store it safely: it is shown only once.')}
      </p>
      <p>
        <code>{value}</code>
      </p>
      <div class="action">
        <button type="button" onClick={copy}>
          {t('Copy')}
        </button>
        <button type="button" class="main" onClick={onDone}>
          {t('I have kept it')}
        </button>
        {copied && <span class="hint">{copied}</span>}
      </div>
    </div>
  );
}
