import { type Json, type Members, canonical, cidOf, sha256, utf8 } from './encoding.js';
import type { Findings } from './report.js';
import { type Disclosure, isSealed, pointerOf, provenValue } from './sealed-content.js';

/** A file with single values of one event: its block, and what leads from each value to the root of the block. */
export interface DisclosureFile {
  readonly block: string;
  readonly disclosures: readonly Disclosure[];
}

/** Null for anything else than the answer of `GET /events/{id}/disclosures`. */
export function disclosureFile(file: Members): DisclosureFile | null {
  const { block, disclosures, ...more } = file;
  if (typeof block !== 'string' || !Array.isArray(disclosures) || Object.keys(more).length > 0) return null;
  return disclosures.every(isDisclosure) ? { block, disclosures } : null;
}

const HASH = /^0x[0-9a-f]{64}$/;

function isDisclosure(value: Json): value is Json & Disclosure {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const { bytes, index, path, ...more } = value as Members;
  return (
    typeof bytes === 'string' &&
    Number.isSafeInteger(index) &&
    (index as number) >= 0 &&
    Array.isArray(path) &&
    path.every((hash: Json) => typeof hash === 'string' && HASH.test(hash)) &&
    Object.keys(more).length === 0
  );
}

/** The recorder committed to each value: that it is true, or the only one, nobody can prove. */
export function checkDisclosures({ block, disclosures }: DisclosureFile, findings: Findings): void {
  const envelope = JSON.parse(block) as Members;
  findings.check(
    'block',
    'file',
    isSealed(envelope) && canonical(envelope) === block,
    `The block has the CID ${cidOf(sha256(utf8(block)))}, and the data hash ${sha256(utf8(block))}: compare it with the one on chain.`,
    'The block is not canonical JSON of version 2.',
  );
  if (disclosures.length === 0) findings.add('value ↔ root', 'file', 'left_out', 'No value is disclosed.');
  for (const [i, disclosure] of disclosures.entries()) checkValue(`value ${i + 1}`, envelope, disclosure, findings);
}

/** @returns whether it leads to the root */
function checkValue(of: string, envelope: Members, disclosure: Disclosure, findings: Findings): void {
  const proven = provenValue(envelope, disclosure);
  findings.check(
    'value ↔ root',
    of,
    proven !== null,
    proven === null ? '' : `The recorder committed to this value: ${pointerOf(proven.path)} is ${canonical(proven.value).slice(0, 200)}.`,
    'The value does not lead to the root of the block.',
  );
}

/** The disclosures of an event of a bundle, in one line. */
export function checkOfEvent(of: string, text: string, disclosures: readonly Disclosure[], findings: Findings): void {
  const envelope = JSON.parse(text) as Members;
  if (!isSealed(envelope))
    return findings.check('values ↔ root', of, disclosures.length === 0, 'Nothing is sealed.', 'The block has no root for these values.');
  const wrong = disclosures.filter((disclosure) => provenValue(envelope, disclosure) === null);
  findings.check(
    'values ↔ root',
    of,
    wrong.length === 0,
    `The recorder committed to the ${disclosures.length} values that are disclosed; what is not stays sealed.`,
    `${wrong.length} values do not lead to the root of the block.`,
  );
}
