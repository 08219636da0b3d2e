import { words } from './format';
import { phrase, t } from './language';

/** Roman numerals stay as they are. */
export const classOf = (recallClass: string | null): string | null =>
  recallClass === null || recallClass === 'unclassified'
    ? null
    : /^I+$/.test(recallClass)
      ? t('Class {class}', { class: recallClass })
      : words(recallClass);

/** What `Status` shows of recalls and of their holders; here for translators. */
const STATES = { open: phrase('Open'), lifted: phrase('Lifted'), confirmed: phrase('Confirmed'), waiting: phrase('Waiting') } as const;
type State = keyof typeof STATES;

export const recallState = (open: boolean): State => (open ? 'open' : 'lifted');
export const holderState = ({ lots, acknowledged }: { readonly lots: number; readonly acknowledged: number }): State =>
  acknowledged >= lots ? 'confirmed' : 'waiting';
