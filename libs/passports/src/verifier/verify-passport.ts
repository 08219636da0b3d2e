import type { Bundle, BundledEvent } from './bundle.js';
import { utf8 } from './bytes.js';
import { cidOf } from './cid.js';
import { type Members, canonical, said } from './json.js';
import { keccak256 } from './keccak256.js';
import type { Check } from './links.js';
import type { Recorded } from './recorded.js';
import { sha256 } from './sha256.js';

/** @returns its words */
export function verifyPassport(
  told: { text: string; cid: string },
  event: BundledEvent,
  recorded: Recorded | null,
  chain: Bundle['chain'],
  check: Check,
): Members {
  const of = 'passport';
  check(
    'passport ↔ CID',
    of,
    cidOf(sha256(utf8(told.text))) === told.cid,
    `The passport's words hash to ${told.cid}.`,
    `The passport's words do not hash to ${told.cid}.`,
  );
  const passport = JSON.parse(told.text) as Members;
  check(
    'passport form',
    of,
    canonical(passport) === told.text,
    'Each word stands once.',
    'The words are not in their one form (RFC 8785).',
  );
  const integrity = passport['integrity'] as Members | null;
  const same =
    integrity?.['dataHash'] === event.dataHash &&
    integrity['cid'] === event.cid &&
    integrity['chainId'] === chain.chainId &&
    integrity['contract'] === chain.contract;
  check(
    'passport ↔ event',
    of,
    same,
    `The passport names this event of contract ${chain.contract} on chain ${chain.chainId}. Compare that address with what the issuer says: anybody can have a contract.`,
    'The passport names another event or contract.',
  );
  const product = passport['product'] as Members;
  const code = keccak256(utf8(said(product['lot'])));
  check(
    'lot ↔ chain',
    of,
    recorded?.minted.some(({ tlcHash }) => tlcHash === code) === true,
    `The event made the lot ${said(product['lot'])}.`,
    `The event made no lot ${said(product['lot'])}.`,
  );
  return passport;
}
