import { BUNDLE_FORMAT, type Bundle } from './bundle.js';
import { utf8 } from './bytes.js';
import { FILE, strayIn } from './form.js';
import { type Members, canonical, said } from './json.js';
import type { Check, CheckedLink, LinkState, Report, Tell } from './links.js';
import { sha256 } from './sha256.js';
import { verifyEvent } from './verify-event.js';
import { verifyLineage } from './verify-lineage.js';
import { type AskChain, verifyOnChain } from './verify-on-chain.js';
import { verifyPassport } from './verify-passport.js';
import { verifyWords } from './verify-words.js';

/**
 * Checks an evidence file of a product passport with nothing but this folder, so that the same code runs in the command line and, as one
 * script, in a page that was saved years ago. Hashes, RLP and the proof are written out here on purpose, apart from the code that makes
 * the file.
 * @param text the whole file @param ask a node, for the links that only the chain itself can hold
 * @returns what was checked; a file that is none is a broken link, never an error
 */
export async function verifyBundle(text: string, ask?: AskChain): Promise<Report> {
  const links: CheckedLink[] = [];
  const tell = (link: string, of: string, state: LinkState, detail: string): void => void links.push({ link, of, state, detail });
  const check = (link: string, of: string, holds: boolean, good: string, bad: string): void =>
    tell(link, of, holds ? 'ok' : 'broken', holds ? good : bad);
  try {
    await verify(opened(text, check), ask, tell, check);
  } catch (error) {
    tell('readable', 'file', 'broken', `The file cannot be read as an evidence file: ${(error as Error).message}`);
  }
  return { ok: links.every(({ state }) => state !== 'broken' && state !== 'unanswered'), links };
}

function opened(text: string, check: Check): Bundle {
  const file = JSON.parse(text) as Members;
  if (file['format'] !== BUNDLE_FORMAT) throw new Error(`its format is ${said(file['format']).slice(0, 100)}`);
  const { digest, ...content } = file;
  check(
    'canonical form',
    'file',
    canonical(file) === text,
    'The file is in its one form (RFC 8785).',
    'The file is not in its one form (RFC 8785): something was changed or added.',
  );
  check(
    'digest',
    'file',
    sha256(utf8(canonical(content))) === digest,
    'The digest is that of the content.',
    'The digest is not that of the content: something was changed.',
  );
  const wrong = strayIn(FILE, file, '');
  if (wrong !== null) throw new Error(`${wrong} is not as it must be`);
  return file as unknown as Bundle;
}

async function verify(file: Bundle, ask: AskChain | undefined, tell: Tell, check: Check): Promise<void> {
  const { chain, events, blocks, lineage, tier } = file;
  const [made] = events;
  if (!made) throw new Error('it has no event');
  const recorded = events.map((event, i) => verifyEvent(`event ${i + 1}`, event, chain, blocks, tell, check));
  const passport = verifyPassport(file.passport, made, recorded[0] ?? null, chain, check);
  verifyWords(passport, events, recorded, lineage, tell, check);
  verifyLineage(lineage, events, recorded, check);
  const publicly = events.length === 1 && made.text === null && !lineage.complete;
  check('tier', 'file', tier === 'restricted' || publicly, `The file is ${tier}.`, 'The file is not what it says it is.');
  const used = new Set(events.map(({ blockHash }) => blockHash));
  check(
    'blocks',
    'file',
    Object.keys(blocks).every((hash) => used.has(hash)),
    'Every block is of an event.',
    'There are blocks of no event.',
  );
  if (ask) await verifyOnChain(events, chain, said((passport['integrity'] as Members)['mintTx']), ask, tell, check);
  else tell('block ↔ chain', 'file', 'not_asked', 'No node was asked whether these blocks are on the chain; give one to have it checked.');
}
