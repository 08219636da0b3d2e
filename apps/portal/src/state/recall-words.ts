import type { RecallView } from '#client';
import { showQuantity, words } from './format';
import { phrase, t } from './language';

/** Roman numerals stay as they are. */
export const classOf = (recallClass: string | null): string | null =>
  recallClass === null || recallClass === 'unclassified'
    ? null
    : /^I+$/.test(recallClass)
      ? t('Class {class}', { class: recallClass })
      : words(recallClass);

/** What `Status` shows of recalls and of their holders; here for translators. */
const STATES = {
  open: phrase('Open'),
  lifted: phrase('Lifted'),
  confirmed: phrase('Confirmed'),
  waiting: phrase('Waiting'),
  part_missing: phrase('Part missing'),
} as const;
type State = keyof typeof STATES;

export const recallState = (open: boolean): State => (open ? 'open' : 'lifted');

interface HolderAnswers {
  readonly lots: number;
  readonly acknowledged: number;
  /** Answered lots of which some is open. */
  readonly short: number;
}

export const holderState = ({ lots, acknowledged, short }: HolderAnswers): State =>
  acknowledged < lots ? 'waiting' : short > 0 ? 'part_missing' : 'confirmed';

/** Amounts by unit, always in the same order. */
export const showAmounts = (amounts: object): string =>
  Object.entries(amounts)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([uom, value]) => showQuantity(value as number | string, uom))
    .join(', ');

/** How many lots a recall affects; of one that was lifted, when it was prepared: null where nobody counted. */
export const affectedOf = (recall: Pick<RecallView, 'open' | 'affectedCount' | 'affectedWhenPrepared'>): number | null =>
  recall.open ? recall.affectedCount : recall.affectedWhenPrepared;
