import { numberOrText } from '../state/numbers.js';
import { type EventDraft, eventOf } from './draft.js';
import { type Amount, amountOf, brief, valueOf } from './brief.js';
import type { Process } from './process.js';
import type { Shape } from './shape.js';
import { labelOf } from './words.js';
import { t } from '../state/language.js';

export interface Review {
  /** What will be recorded, as one would say it. */
  readonly sentences: readonly string[];
  /** Everything else that is filled in. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** What is sent, in words: made from the document itself, not from what was typed. @param holder what the next holder is called */
export function reviewOf(process: Process, draft: EventDraft, holder: string | null): Review {
  const { metadata } = eventOf(process, draft);
  const { quantity, ...rest } = metadata as { readonly quantity?: Amount } & Readonly<Record<string, unknown>>;
  const others = { ...rest, inputs: undefined };
  return {
    sentences: [...inputSentences(process, draft), ...outputSentence(process, draft, quantity), ...handingSentence(draft, holder)],
    facts: factsOf(process.shape, others, namesOf(process), '/metadata', ''),
  };
}

function outputSentence({ outputs, assetTypes, label, tlc }: Process, draft: EventDraft, quantity: Amount | undefined): readonly string[] {
  const product = assetTypes[outputs.assetType ?? '']?.name;
  const amount = quantity && amountOf(quantity);
  if (outputs.max === 0 || !product) return [amount ? t('{process}: {amount}.', { process: label, amount }) : `${label}.`];
  const goods = amount ? t('{amount} of {product}', { amount, product }) : product;
  if (draft.outputTlc) return [t('{goods}, lot {lot}.', { goods, lot: draft.outputTlc })];
  if (!tlc?.template) return [t('{goods}, a new lot.', { goods })];
  return [t('{goods}, with a new lot code as {form}.', { goods, form: tlc.template.replaceAll(/\{\w+\}/g, '…') })];
}

/** The input lots, each with what is used of it. */
function inputSentences({ hasLines }: Process, { lots, handing }: EventDraft): readonly string[] {
  if (handing !== 'none') return [];
  return lots.map(({ tlc, name, left, quantity, uom }) => {
    const amount = hasLines ? amountOf({ value: numberOrText(quantity), uom }) : left;
    const values = { goods: t('{amount} of {product}', { amount, product: name }), lot: tlc, left };
    return hasLines ? t('Uses {goods}, lot {lot} ({left} left before).', values) : t('Of {goods}, lot {lot}.', values);
  });
}

function handingSentence({ handing, lots, to }: EventDraft, holder: string | null): readonly string[] {
  const what = lots
    .map(({ tlc, name, left }) => t('{goods}, lot {lot}', { goods: t('{amount} of {product}', { amount: left, product: name }), lot: tlc }))
    .join('; ');
  if (handing === 'offer') return [t('Transfers {lots} to {holder}.', { lots: what, holder: holder ?? to })];
  return handing === 'accept' ? [t('Accepts {lots}.', { lots: what })] : [];
}

const namesOf = ({ kdes = [] }: Process): ReadonlyMap<string, string> =>
  new Map(kdes.flatMap(({ path, name }) => (path === undefined ? [] : [[`/metadata${path}`, name]])));

function factsOf(
  shape: Shape,
  document: unknown,
  names: ReadonlyMap<string, string>,
  at: string,
  name: string,
): readonly (readonly [string, string])[] {
  if (document === undefined || document === null || document === '') return [];
  if (shape.kind === 'variants') return [[name, brief(document)]];
  if (shape.kind === 'object') {
    const said = brief(document);
    if (at !== '/metadata') return said === '' ? [] : [[name, said]];
    return shape.fields.flatMap(({ key, shape: inner, name: own }) =>
      factsOf(inner, (document as Record<string, unknown>)[key], names, `${at}/${key}`, names.get(`${at}/${key}`) ?? own ?? labelOf(key)),
    );
  }
  return [[name, valueOf(document, at.slice(at.lastIndexOf('/') + 1))]];
}
