import type { Process } from '../../record/process';
import type { Shape } from '../../record/shape';
import { labelOf } from '../../record/words';
import { t } from '../../state/language';

export type ReadAs = 'text' | 'number' | 'integer' | 'quantity' | 'unit' | 'date' | 'instant' | 'boolean' | 'lot' | 'further';

/** A value of an event that a column may say. */
export interface Target {
  /** Pointer into the body of `POST /api/v1/events/prepare`. */
  readonly to: string;
  readonly name: string;
  readonly required: boolean;
  readonly as: ReadAs;
  /** The only texts that are allowed. */
  readonly of?: readonly unknown[];
}

/** Variants of a value have fields of the same name: each is listed once, with what any of them allows. */
function joined(targets: readonly Target[]): readonly Target[] {
  const all = new Map<string, Target>();
  for (const target of targets) {
    const known = all.get(target.to);
    const of = known?.of && target.of ? [...new Set([...known.of, ...target.of])] : undefined;
    all.set(target.to, known ? { ...known, ...(of && { of }) } : target);
  }
  return [...all.values()];
}

interface Visit {
  readonly to: string;
  readonly names: readonly string[];
  readonly required: boolean;
}

const DEEPEST = 6;

/** Everything that a column can say about the events of a process, what is required first. */
export function targetsOf({ shape, inputs, outputs }: Process): readonly Target[] {
  const lots: Target[] = [];
  if (inputs.max !== 0) lots.push({ to: '/inputTokenIds/0', name: t('Code of the input lot'), required: inputs.min > 0, as: 'lot' });
  if (outputs.max !== 0) lots.push({ to: '/outputTlc', name: t('Code of the new lot'), required: false, as: 'text' });
  const values = targetsIn(shape, { to: '/metadata', names: [], required: true });
  return joined([...lots, ...values]).toSorted((a, b) => Number(b.required) - Number(a.required));
}

function targetsIn(shape: Shape, at: Visit): readonly Target[] {
  if (at.names.length > DEEPEST) return [];
  const { to, required } = at;
  const leaf = (as: ReadAs, of?: readonly unknown[]): readonly Target[] => [
    { to, name: at.names.join(' · '), required, as, ...(of && { of }) },
  ];
  switch (shape.kind) {
    case 'object': {
      const inner = shape.fields.flatMap(({ key, shape: one, required: needed }) =>
        targetsIn(one, { to: `${to}/${escaped(key)}`, names: [...at.names, labelOf(key)], required: required && needed }),
      );
      const keys = shape.fields.map(({ key }) => key);
      // One cell may say both: 12.5 kg.
      return keys.includes('value') && keys.includes('uom')
        ? [{ to, name: t('{name} with its unit', { name: at.names.join(' · ') }), required: false, as: 'quantity' }, ...inner]
        : inner;
    }
    case 'list':
      return targetsIn(shape.item, { to: `${to}/0`, names: at.names, required: required && shape.least > 0 });
    case 'tuple':
      return shape.items.flatMap(({ key, name, shape: one }) =>
        targetsIn(one, { to: `${to}/${key}`, names: name === undefined ? [...at.names, key] : [...at.names.slice(0, -1), name], required }),
      );
    case 'choice':
      return leaf(to.endsWith('/uom') ? 'unit' : typeof shape.of[0] === 'number' ? 'number' : 'text', shape.of);
    case 'fixed':
      return leaf('text', [shape.value]);
    case 'number':
      return leaf('number');
    case 'yesNo':
      return leaf('boolean');
    case 'text':
      return leaf(textAs(to, shape.format));
    case 'variants':
      return shape.of.flatMap(({ shape: one }) => targetsIn(one, { ...at, required: false }));
    default:
      return [];
  }
}

function textAs(to: string, format: string | null): ReadAs {
  if (format === 'date') return 'date';
  if (format === 'date-time' || to.endsWith('/eventTime')) return 'instant';
  return to.endsWith('/uom') ? 'unit' : 'text';
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
