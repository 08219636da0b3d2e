import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { BUNDLE_FORMATS } from './bundle.js';
import type { Report } from './report.js';
import { verifyBundle } from './verifier.js';
import { verifyPage } from './verify.page.js';

const scriptOf = (page: string): string => /<script type="module">([\s\S]*)<\/script>/.exec(page)![1]!;

/** All that a page gives the script. */
const BROWSER = { TextEncoder, document: { getElementById: () => ({ addEventListener: () => {} }) } };

describe('the page that checks evidence', () => {
  it('carries the whole of what the command runs, in one scope and without an import', async () => {
    const verify = runInNewContext(`${scriptOf(verifyPage())}; verifyBundle`, BROWSER) as (text: string) => Promise<Report>;
    const word = `0x${'a'.repeat(64)}`;
    const cid = `b${'a'.repeat(58)}`;
    const event = {
      eventId: word,
      cid,
      dataHash: word,
      text: '{}',
      commitment: word,
      blockHash: word,
      blockNumber: 1,
      transactionIndex: 0,
    };
    const file = {
      format: BUNDLE_FORMATS[0],
      tier: 'restricted',
      passport: { text: '{"product":{"lot":"RP262641"}}', cid },
      chain: { chainId: 1, contract: `0x${'b'.repeat(40)}` },
      events: [{ ...event, proof: ['0x80'] }],
      lineage: { complete: true, edges: [{ from: '1', to: '2', eventId: word }] },
      blocks: { [word]: '0xc0' },
      digest: word,
    };
    const emptyBlock = JSON.stringify(file);
    const noBlock = JSON.stringify({ ...file, blocks: {} });
    for (const text of [emptyBlock, noBlock, '', '{}'])
      expect(JSON.stringify(await verify(text))).toBe(JSON.stringify(await verifyBundle(text)));
    expect((await verify(noBlock)).links.length).toBeGreaterThan(10);
  });
});
