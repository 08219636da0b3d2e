import { DEFAULT_LIMIT, MAX_LIMIT, type Page, type PageRequest } from '#kernel';
import { BooleanField, IntegerField, StringField } from '../requests/fields.js';

/** Query of every paginated list; extend it with the filters of a list. Values outside the bounds: 400 (docs/spec/domain.md#open-points). */
export class PageQuery implements PageRequest {
  @IntegerField({ description: 'Page, from 1', min: 1, max: 1_000_000, optional: true, default: 1 })
  page: number = 1;

  @IntegerField({ description: 'Items per page', min: 1, max: MAX_LIMIT, optional: true, default: DEFAULT_LIMIT })
  limit: number = DEFAULT_LIMIT;
}

/** Fields of every list in addition to its items (docs/spec/api.md#conventions). A list extends it with its own `data`. */
export class NumberedPageView {
  @IntegerField({ description: 'Exact up to 10,000' })
  total: number;

  @IntegerField({ description: 'Page, from 1' })
  page: number;

  @IntegerField({ description: 'Items per page' })
  limit: number;

  @BooleanField({ description: 'Present when there are more than 10,000', optional: true })
  totalIsLowerBound?: true;
}

/** A list with cursors. */
export class PageView extends NumberedPageView {
  @StringField({ description: 'Cursor of the next page; null on the last page, and in lists without cursors', nullable: true })
  nextCursor: string | null;
}

export const pageView = <Item, View>(page: Page<Item>, view: (item: Item) => View): Page<View> => ({
  ...page,
  data: page.data.map(view),
});
