import { useState } from 'preact/hooks';

/** What the service tells once. It stands in this page's memory alone: after it is put away, or after a reload, nobody sees it again. */
export function Secret({ title, value, onDone }: { readonly title: string; readonly value: string; readonly onDone: () => void }) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = (): void => {
    navigator.clipboard.writeText(value).then(
      () => setCopied('Copied.'),
      () => setCopied('The browser does not let this page copy. Select the text and copy it.'),
    );
  };
  return (
    <div class="notice secret" role="status">
      <p>
        <strong>{title}</strong> It is shown this once: copy it now and keep it where secrets are kept.
      </p>
      <p>
        <code>{value}</code>
      </p>
      <div class="action">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <button type="button" class="main" onClick={onDone}>
          I have kept it
        </button>
        {copied && <span class="hint">{copied}</span>}
      </div>
    </div>
  );
}
