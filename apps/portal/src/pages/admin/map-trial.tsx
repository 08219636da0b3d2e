import { useState } from 'preact/hooks';
import type { ProcessMapDocumentView } from '#client';
import { Fields } from '../../record/fields';
import { type Filled, documentOf, withAt } from '../../record/filled';
import type { FormState } from '../../record/form-state';
import { neededBy, processOf } from '../../record/process';
import { t } from '../../state/language';
import type { MapDraft } from './map-draft';

/** The form that the operator will see, and the values that an event would have. Nothing is recorded. */
export function MapTrial({ of: draft, processType }: { readonly of: MapDraft; readonly processType: string }) {
  const [filled, setFilled] = useState<Filled>({});
  const process = processOf({ document: draft as unknown } as ProcessMapDocumentView, processType);
  if (!process) return null;
  const form: FormState = {
    said: () => [],
    wrongIn: () => false,
    onAdd: () => undefined,
    documentTypes: null,
    onWaitingFile: () => undefined,
    onChange: (path, value) => setFilled(withAt(filled, path, value)),
    onLeave: () => undefined,
    names: new Map((process.kdes ?? []).flatMap(({ path, name }) => (path === undefined ? [] : [[`/metadata${path}`, name] as const]))),
    needed: neededBy(process, false),
    doubts: new Map(),
    places: [],
  };
  return (
    <details>
      <summary>{t('Try the form')}</summary>
      <p class="hint">{t('This is what people fill in. Nothing is recorded.')}</p>
      <Fields form={form} fields={process.shape.fields} path={[]} filled={filled} />
      <pre class="body" tabIndex={0} aria-label={t('Values of the event')}>
        {JSON.stringify(documentOf(process.shape, filled, true) ?? {}, null, 2)}
      </pre>
    </details>
  );
}
