import { afterEach, describe, expect, it } from '@jest/globals';
import { Classes, ContentTooLarge, openContent, readEnvelope, type SealingSubject } from '#envelope';
import { type Json, NotCanonical } from '#kernel';
import { SealContents } from './seal-contents.js';
import type { ContentToSeal, Sealing } from './sealing-work.js';

const tenant = '0190a000-0000-7000-8000-000000000001';
const subject = (i: number): SealingSubject => ({ chainId: 1, contract: `0x${'1'.repeat(40)}`, tenant, kind: 'event', id: `event ${i}` });
const FARM = new Classes([{ pointer: '/farmers/*/phone', class: 'personal' }]);
const SHOP = new Classes([
  { pointer: '/n', class: 'public' },
  { pointer: '/price', class: 'authority' },
]);

const KINDS = [FARM, SHOP, null];

/** Sealed by two maps and by none, with names that JavaScript treats in a special way. */
const contents = (count: number): ContentToSeal[] =>
  Array.from({ length: count }, (_, i) => ({
    content: JSON.parse(`{"n":${i},"__proto__":{"a":1},"price":1.5,"é":"\\u2028","farmers":[{"phone":"+84 ${i}"}]}`) as Record<
      string,
      Json
    >,
    classes: KINDS[i % KINDS.length] ?? null,
    subject: subject(i),
  }));

function contentOf(one: Sealing): unknown {
  if (one instanceof Error) throw one;
  const { bytes, keys, hidden } = one;
  return openContent(readEnvelope(bytes), { tenant, keys, hidden, erased: [] }).content;
}

describe('contents that are sealed together', () => {
  const sealing = new SealContents();
  afterEach(() => sealing.onApplicationShutdown());

  // One is sealed by this thread, many by another.
  it.each([1, 130])('open to what they were, each with its own rules and in its place: %d of them', async (count) => {
    const all = contents(count);
    const sealed = await sealing.sealAll(all);
    expect(sealed.map(contentOf)).toEqual(all.map(({ content }) => content));
    expect(readEnvelope((sealed.at(-1) as { bytes: Uint8Array }).bytes)).toMatchObject({ id: `event ${count - 1}` });
  });

  it.each([3, 130])('have the same errors, whichever thread seals them: %d of them', async (count) => {
    const all = contents(count);
    all[0] = { ...all[0]!, content: { metadata: { plots: ['A', '\ud800'] } } };
    all[1] = { ...all[1]!, content: { list: Array.from({ length: 6_000 }, (_, i) => `value ${i}`) } };
    const [first, second, ...others] = await sealing.sealAll(all);
    expect(first).toBeInstanceOf(NotCanonical);
    expect(first).toMatchObject({ pointer: '/metadata/plots/1', code: 'lone_surrogate' });
    expect(second).toBeInstanceOf(ContentTooLarge);
    expect(others.map(contentOf)).toEqual(all.slice(2).map(({ content }) => content));
  });

  it('are sealed all the same when their thread ends', async () => {
    const all = contents(130);
    const sealed = sealing.sealAll(all);
    sealing.onApplicationShutdown();
    expect((await sealed).map(contentOf)).toEqual(all.map(({ content }) => content));
    expect((await sealing.sealAll(all)).map(contentOf)).toEqual(all.map(({ content }) => content));
  });
});
