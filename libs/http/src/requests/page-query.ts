import { DEFAULT_LIMIT, MAX_LIMIT, type PageRequest } from '#kernel';
import { IntegerField } from '../fields.js';

/** Query of every paginated list; extend it with a list's own filters. Outside the bounds: 400 (domain-decisions §10). */
export class PageQuery implements PageRequest {
  @IntegerField({ description: 'Page, from 1', min: 1, max: 1_000_000, optional: true, default: 1 })
  page: number = 1;

  @IntegerField({ description: 'Items on a page', min: 1, max: MAX_LIMIT, optional: true, default: DEFAULT_LIMIT })
  limit: number = DEFAULT_LIMIT;
}
