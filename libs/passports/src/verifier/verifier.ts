import { BUNDLE_FORMATS, type Bundle, misplacedIn } from './bundle.js';
import { type Members, canonical, sha256, textOf, utf8 } from './encoding.js';
import { type AskChain, checkOnChain } from './chain-check.js';
import { checkDisclosures, disclosureFile } from './disclosure-check.js';
import { checkEvent } from './event-check.js';
import { checkLineage, checkSplits } from './lineage-check.js';
import { checkPassport, checkWording } from './passport-check.js';
import { Findings, type Report } from './report.js';

/**
 * Checks an evidence file of a product passport, or a file with single values of an event. It shares no code with what makes the file, and needs nothing of the service: the same
 * code runs in the command line and, bundled, in a page that was saved years ago.
 * @param text the whole file @param ask a node, for the links that only the chain itself can hold
 * @returns what was checked; a text that is no evidence file is a broken link, never an error
 */
export async function verifyBundle(text: string, ask?: AskChain): Promise<Report> {
  const findings = new Findings();
  try {
    const file = JSON.parse(text) as Members;
    const values = disclosureFile(file);
    if (values) checkDisclosures(values, findings);
    else await verify(opened(file, text, findings), ask, findings);
  } catch (error) {
    findings.add('readable', 'file', 'broken', `The file cannot be read as an evidence file: ${(error as Error).message}`);
  }
  return findings.report();
}

function opened(file: Members, text: string, findings: Findings): Bundle {
  if (!BUNDLE_FORMATS.some((format) => format === file['format'])) throw new Error(`its format is ${textOf(file['format']).slice(0, 100)}`);
  const { digest, ...content } = file;
  findings.check(
    'canonical form',
    'file',
    canonical(file) === text,
    'The file is in canonical form (RFC 8785).',
    'The file is not in canonical form (RFC 8785): something was changed or added.',
  );
  findings.check(
    'digest',
    'file',
    sha256(utf8(canonical(content))) === digest,
    'The digest is that of the content.',
    'The digest is not that of the content: something was changed.',
  );
  const misplaced = misplacedIn(file);
  if (misplaced !== null) throw new Error(`${misplaced} is not as it must be`);
  return file as unknown as Bundle;
}

async function verify(file: Bundle, ask: AskChain | undefined, findings: Findings): Promise<void> {
  const { chain, events, blocks, lineage, tier } = file;
  const [made] = events;
  if (!made) throw new Error('it has no event');
  const recorded = events.map((event, i) => checkEvent(`event ${i + 1}`, event, chain, blocks, findings));
  const passport = checkPassport(file, recorded[0] ?? null, findings);
  checkWording(passport, events, recorded, lineage.complete, findings);
  const splits = checkSplits(file, findings);
  checkLineage(lineage, events, { recorded, splits }, findings);
  const isPublic = events.length === 1 && made.text === null && !lineage.complete && lineage.splits === undefined;
  findings.check('tier', 'file', tier === 'restricted' || isPublic, `The file is ${tier}.`, 'The file is not what it says it is.');
  const used = new Set([...events, ...(lineage.splits ?? [])].map(({ blockHash }) => blockHash));
  findings.check(
    'blocks',
    'file',
    Object.keys(blocks).every((hash) => used.has(hash)),
    'Every block is the block of an event or a split.',
    'There are blocks without an event or a split.',
  );
  if (ask) await checkOnChain(file, textOf((passport['integrity'] as Members)['mintTx']), ask, findings);
  else
    findings.add(
      'block ↔ chain',
      'file',
      'not_asked',
      'No node was asked whether these blocks are on the chain: name one to have it checked.',
    );
}
