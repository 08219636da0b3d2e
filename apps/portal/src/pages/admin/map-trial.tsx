import { useRef, useState } from 'preact/hooks';
import type { Operations, ProcessMapDocumentView } from '#client';
import { Action } from '../../parts/action';
import { emptyDraft, placesOf } from '../../record/draft';
import { Fields } from '../../record/fields';
import { type Filled, documentOf, lengthAt, withAt } from '../../record/filled';
import { focusFirstFault } from '../../record/focus-fault';
import type { FormState } from '../../record/form-state';
import { placed } from '../../record/issues';
import { neededBy, processOf } from '../../record/process';
import { inWords } from '../../record/words';
import { plural, t } from '../../state/language';
import { api } from '../../state/session';
import type { MapDraft } from './map-draft';

type Verdict = Operations['POST /api/v1/process-maps/try']['answer'];

/** The form that the operator will see, and what the service will say of what is filled in. Nothing is recorded. */
export function MapTrial({ of: draft, processType }: { readonly of: MapDraft; readonly processType: string }) {
  const [filled, setFilled] = useState<Filled>({});
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const fields = useRef<HTMLDivElement>(null);
  const process = processOf({ document: draft as unknown } as ProcessMapDocumentView, processType);
  if (!process) return null;
  const metadata = documentOf(process.shape, filled, true) ?? {};
  const issues = (verdict?.issues ?? []).map((issue) => ({ ...issue, severity: 'error' as const }));
  const said = placed(issues, placesOf(process, emptyDraft(process, filled)));
  const change = (next: Filled): void => {
    setFilled(next);
    setVerdict(null);
  };
  const form: FormState = {
    said: (pointer) => said.get(pointer) ?? [],
    wrongIn: (pointer) => [...said.keys()].some((one) => one.startsWith(`${pointer}/`)),
    onAdd: (path, item) => change(withAt(filled, [...path, String(lengthAt(filled, path))], item)),
    documentTypes: null,
    onWaitingFile: () => undefined,
    onChange: (path, value) => change(withAt(filled, path, value)),
    onLeave: () => undefined,
    names: new Map((process.kdes ?? []).flatMap(({ path, name }) => (path === undefined ? [] : [[`/metadata${path}`, name] as const]))),
    needed: neededBy(process, false),
    doubts: new Map(),
    places: [],
  };
  const ask = async (): Promise<void> => {
    const body = { document: draft as unknown as Record<string, unknown>, processType, metadata: metadata as Record<string, unknown> };
    const answer = await api().call('POST /api/v1/process-maps/try', { body });
    setVerdict(answer);
    if (!answer.valid) requestAnimationFrame(() => fields.current && focusFirstFault(fields.current));
  };
  return (
    <details>
      <summary>{t('Try the form')}</summary>
      <p class="hint">{t('This is what people fill in. Nothing is recorded.')}</p>
      <div ref={fields}>
        <Fields form={form} fields={process.shape.fields} path={[]} filled={filled} />
      </div>
      <Action label={t('Check these values')} main run={ask} />
      {verdict && (
        <div role="status" class={verdict.valid ? 'notice' : 'problem'}>
          {verdict.valid
            ? t('The service would take these values.')
            : plural(issues.length, '{count} field needs attention.', '{count} fields need attention.')}
          {(said.get('') ?? []).map(({ pointer, message }) => (
            <p key={pointer + message}>
              <code>{pointer}</code> {inWords(message)}
            </p>
          ))}
        </div>
      )}
      <pre class="body" tabIndex={0} aria-label={t('Values of the event')}>
        {JSON.stringify(metadata, null, 2)}
      </pre>
    </details>
  );
}
