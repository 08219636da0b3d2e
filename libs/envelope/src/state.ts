/**
 * What is known of a block: all of it is `open`; of `erased` some values were erased here; `sealed_elsewhere` has no keys here, those of
 * `key_lost` cannot be read; of `content_invalid` the sealed part does not fit the block. None of them changes by trying again.
 */
export const CONTENT_STATES = ['open', 'erased', 'sealed_elsewhere', 'key_lost', 'content_invalid'] as const;
export type ContentState = (typeof CONTENT_STATES)[number];
