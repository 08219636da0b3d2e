import type { Page } from '#kernel';
import { BooleanField, IntegerField, StringField } from '../fields.js';

/** What stands beside the items of every list (api-decisions §1). A list extends it with its own `data`. */
export class NumberedPageView {
  @IntegerField({ description: 'Exact up to 10,000' })
  total: number;

  @IntegerField({ description: 'Page, from 1' })
  page: number;

  @IntegerField({ description: 'Items on a page' })
  limit: number;

  @BooleanField({ description: 'Present where there are more than 10,000', optional: true })
  totalIsLowerBound?: true;
}

/** A list that can be read on from where its page ended. */
export class PageView extends NumberedPageView {
  @StringField({ description: 'For the next page; null on the last, and in lists whose pages are only numbered', nullable: true })
  nextCursor: string | null;
}

export const pageView = <Item, View>(found: Page<Item>, view: (item: Item) => View): Page<View> => ({
  ...found,
  data: found.data.map(view),
});
