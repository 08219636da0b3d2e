/**
 * Checks an evidence file of a product passport, with nothing but itself: no import, so that the same file runs in the command line and
 * in a page that was saved years ago. Hashes, RLP and the proof are written out here on purpose, apart from the code that makes the file.
 */

/** `unanswered`: a node was asked and gave no answer, which says nothing of the file. */
export type LinkState = 'ok' | 'broken' | 'left_out' | 'not_asked' | 'unanswered';

export interface CheckedLink {
  /** Which link of the chain from words to chain. */
  readonly link: string;
  /** Of what: `file`, `passport`, or an event by its place. */
  readonly of: string;
  readonly state: LinkState;
  readonly detail: string;
}

export interface Report {
  /** No link is broken, and every one that a node was asked about was answered. */
  readonly ok: boolean;
  readonly links: readonly CheckedLink[];
}

/** Asks a node of the chain: JSON-RPC method and parameters. */
export type AskChain = (method: string, params: readonly unknown[]) => Promise<unknown>;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Members = Readonly<Record<string, Json>>;

/** @param text the whole file @param ask a node, for the links that only the chain itself can hold */
export async function verifyBundle(text: string, ask?: AskChain): Promise<Report> {
  const links: CheckedLink[] = [];
  const tell = (link: string, of: string, state: LinkState, detail: string): void => void links.push({ link, of, state, detail });
  const check = (link: string, of: string, holds: boolean, good: string, bad: string): void =>
    tell(link, of, holds ? 'ok' : 'broken', holds ? good : bad);
  try {
    await verify(text, ask, tell, check);
  } catch (error) {
    tell('readable', 'file', 'broken', `The file cannot be read as an evidence file: ${(error as Error).message}`);
  }
  return { ok: links.every(({ state }) => state !== 'broken' && state !== 'unanswered'), links };
}

type Tell = (link: string, of: string, state: LinkState, detail: string) => void;
type Check = (link: string, of: string, holds: boolean, good: string, bad: string) => void;

async function verify(text: string, ask: AskChain | undefined, tell: Tell, check: Check): Promise<void> {
  const file = JSON.parse(text) as Members;
  if (file['format'] !== FORMAT) throw new Error(`its format is ${said(file['format']).slice(0, 100)}`);
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

  const chain = file['chain'] as unknown as { chainId: number; contract: string };
  const events = file['events'] as unknown as Told[];
  const blocks = file['blocks'] as Record<string, string>;
  if (events.length === 0) throw new Error('it has no event');
  const recorded: (Recorded | null)[] = [];
  for (const [i, event] of events.entries()) recorded.push(verifyEvent(`event ${i + 1}`, event, chain, blocks, tell, check));
  const lineage = file['lineage'] as unknown as Lineage;
  const passport = verifyPassport(
    file['passport'] as unknown as { text: string; cid: string },
    events[0]!,
    recorded[0] ?? null,
    chain,
    check,
  );
  verifyWords(passport, events, recorded, lineage, tell, check);
  verifyLineage(lineage, events, recorded, check);
  const publicly = events.length === 1 && events[0]!.text === null && (file['lineage'] as Members)['complete'] === false;
  check(
    'tier',
    'file',
    file['tier'] === 'restricted' || (file['tier'] === 'public' && publicly),
    `The file is ${said(file['tier'])}.`,
    'The file is not what it says it is.',
  );
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

interface Told {
  readonly eventId: string;
  readonly cid: string;
  readonly dataHash: string;
  readonly text: string | null;
  readonly commitment: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionIndex: number;
  readonly proof: readonly string[];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly eventId: string;
}

interface Lineage {
  readonly complete: boolean;
  readonly edges: readonly Edge[];
}

const FORMAT = 'traceability-passport-bundle/1';

/** What a member may be: a text of a form, a number or a truth, a list of one kind, members by any name of a form, or exactly these. */
type Form =
  | RegExp
  | 'text or null'
  | 'whole number'
  | 'boolean'
  | { readonly list: Form }
  | { readonly each: Form; readonly name: RegExp }
  | Named;
interface Named {
  readonly members: Readonly<Record<string, Form>>;
}

const WORD = /^0x[0-9a-f]{64}$/;
const HEX = /^0x[0-9a-f]*$/;
const CID = /^b[a-z2-7]{58}$/;
const TOKEN = /^[1-9]\d{0,77}$/;

/** Nothing else may stand in a file, or somebody reads there what nothing proves. */
const FILE: Form = {
  members: {
    format: /^traceability-passport-bundle\/1$/,
    tier: /^(public|restricted)$/,
    passport: { members: { text: /^\{/, cid: CID } },
    chain: { members: { chainId: 'whole number', contract: /^0x[0-9a-fA-F]{40}$/ } },
    events: {
      list: {
        members: {
          eventId: WORD,
          cid: CID,
          dataHash: WORD,
          text: 'text or null',
          commitment: WORD,
          blockHash: WORD,
          blockNumber: 'whole number',
          transactionIndex: 'whole number',
          proof: { list: HEX },
        },
      },
    },
    lineage: { members: { complete: 'boolean', edges: { list: { members: { from: TOKEN, to: TOKEN, eventId: WORD } } } } },
    blocks: { each: HEX, name: WORD },
    digest: WORD,
  },
};

/** Where a value is not of the form, as a pointer; null where it is. */
function strayIn(form: Form, value: Json | undefined, at: string): string | null {
  const here = at === '' ? 'the whole' : at;
  if (form instanceof RegExp) return typeof value === 'string' && form.test(value) ? null : here;
  if (form === 'text or null') return value === null || typeof value === 'string' ? null : here;
  if (form === 'whole number') return Number.isSafeInteger(value) && (value as number) >= 0 ? null : here;
  if (form === 'boolean') return typeof value === 'boolean' ? null : here;
  if (value === null || value === undefined || typeof value !== 'object') return here;
  if ('list' in form) {
    if (!Array.isArray(value)) return here;
    return firstOf(value.map((item: Json, i) => () => strayIn(form.list, item, `${at}/${i}`)));
  }
  if (Array.isArray(value)) return here;
  const members = value as Members;
  const names = Object.keys(members);
  if ('each' in form)
    return firstOf(names.map((name) => () => (form.name.test(name) ? strayIn(form.each, members[name], `${at}/${name}`) : here)));
  const more = names.find((name) => !Object.hasOwn(form.members, name));
  if (more !== undefined) return `${at}/${more.slice(0, 40)}`;
  return firstOf(
    Object.entries(form.members).map(
      ([name, inner]) =>
        () =>
          strayIn(inner, members[name], `${at}/${name}`),
    ),
  );
}

function firstOf(looks: readonly (() => string | null)[]): string | null {
  for (const look of looks) {
    const found = look();
    if (found !== null) return found;
  }
  return null;
}

/** What the receipt says of an event. */
interface Recorded {
  readonly eventId: string;
  readonly actor: string;
  readonly dataHash: string;
  readonly commitment: string;
  readonly inputs: readonly bigint[];
  /** 0: what it made was made of its inputs; else they are only inside. */
  readonly containment: number;
  readonly minted: readonly { readonly tokenId: bigint; readonly tlcHash: string; readonly expiresAt: number }[];
  /** Event whose content this one corrects, by its own claim. */
  readonly amends: string | null;
}

function verifyEvent(
  of: string,
  event: Told,
  chain: { chainId: number; contract: string },
  blocks: Record<string, string>,
  tell: Tell,
  check: Check,
): Recorded | null {
  if (event.text === null)
    tell('bytes ↔ CID', of, 'left_out', 'The bytes say more than the public may read, so they are not in this file.');
  else {
    check(
      'bytes ↔ CID',
      of,
      cidOf(sha256(utf8(event.text))) === event.cid,
      `The bytes hash to ${event.cid}.`,
      `The bytes do not hash to ${event.cid}.`,
    );
    const envelope = JSON.parse(event.text) as Members;
    const id = typeof envelope['eventId'] === 'string' ? `0x${envelope['eventId'].replaceAll('-', '')}${'0'.repeat(32)}` : '';
    check(
      'bytes ↔ event',
      of,
      id === event.eventId && envelope['chainId'] === chain.chainId,
      'The bytes are about this event.',
      'The bytes are about another event.',
    );
  }
  check(
    'CID ↔ data hash',
    of,
    cidOf(event.dataHash) === event.cid,
    'CID and data hash are the same digest.',
    'CID and data hash are not the same digest.',
  );
  const receipt = proven(of, event, blocks, check);
  if (receipt === null) return null;
  const recorded = recordedIn(receipt, event.eventId, chain);
  check(
    'data hash ↔ receipt',
    of,
    recorded?.dataHash === event.dataHash,
    'The receipt records this data hash for this event of this contract.',
    'The receipt does not record this data hash for this event of this contract.',
  );
  check(
    'event ↔ commitment',
    of,
    recorded?.commitment === event.commitment,
    'The commitment is that of the event as the receipt records it.',
    'The commitment is not that of the event as the receipt records it.',
  );
  return recorded;
}

/** The receipt, from the header down: RLP of the header hashes to the block, its receipts root leads by the proof to the receipt. */
function proven(of: string, event: Told, blocks: Record<string, string>, check: Check): Bytes | null {
  const header = blocks[event.blockHash];
  const bytes = header === undefined ? null : hex(header);
  check(
    'header ↔ block',
    of,
    bytes !== null && keccak256(bytes) === event.blockHash,
    'The header hashes to the block.',
    'The header does not hash to the block.',
  );
  if (bytes === null) return null;
  const fields = decodeRlp(bytes) as Rlp[];
  const [root, number] = [toHex(fields[5] as Bytes), toNumber(fields[8] as Bytes)];
  check(
    'block number',
    of,
    number === event.blockNumber,
    `It is block ${number}.`,
    `It is block ${number}, and the file says ${event.blockNumber}.`,
  );
  const receipt = leafOf(root, encodeRlpNumber(event.transactionIndex), event.proof.map(hex));
  check(
    'receipt ↔ header',
    of,
    receipt !== null,
    'The proof leads from the header to the receipt.',
    'The proof does not lead from the header to the receipt.',
  );
  return receipt;
}

const RECORDED = 'EventRecorded(bytes32,bytes32,address,bytes32,uint8,uint256[],uint256[],uint256,uint256)';
const MINTED = 'LotMinted(uint256,bytes32,bytes32,address,uint256,bytes32,uint256)';
const AMENDED = 'EventAmended(bytes32,bytes32,address)';

function recordedIn(receipt: Bytes, eventId: string, { chainId, contract }: { chainId: number; contract: string }): Recorded | null {
  const [status, , , logs] = decodeRlp(receipt[0]! < 0xc0 ? receipt.slice(1) : receipt) as [Bytes, Bytes, Bytes, [Bytes, Bytes[], Bytes][]];
  if (toNumber(status) !== 1) return null;
  const own = logs
    .filter(([address]) => toHex(address) === contract.toLowerCase())
    .map(([, topics, data]) => ({ topics: topics.map(toHex), words: wordsOf(data) }));
  const said = own.find(({ topics }) => topics[0] === keccak256(utf8(RECORDED)) && topics[1] === eventId);
  if (!said) return null;
  const { topics, words } = said;
  const list = (at: number): string[] => {
    const start = Number(BigInt(words[at]!)) / 32;
    return words.slice(start + 1, start + 1 + Number(BigInt(words[start]!)));
  };
  const [inputs, consumed] = [list(2), list(3)];
  const minted = own.filter((log) => log.topics[0] === keccak256(utf8(MINTED)) && log.topics[2] === eventId);
  const hashedInputs = hashOfWords([
    64n,
    BigInt(96 + 32 * inputs.length),
    BigInt(inputs.length),
    ...inputs,
    BigInt(consumed.length),
    ...consumed,
  ]);
  const hashedOutputs = hashOfWords([
    32n,
    BigInt(minted.length),
    ...minted.flatMap((log) => [log.topics[3]!, log.words[2]!, log.words[0]!, log.words[1]!, log.words[3]!]),
  ]);
  return {
    eventId,
    actor: topics[3]!,
    dataHash: words[0]!,
    commitment: hashOfWords([
      BigInt(chainId),
      contract,
      topics[1]!,
      topics[2]!,
      topics[3]!,
      words[1]!,
      words[4]!,
      words[0]!,
      hashedInputs,
      hashedOutputs,
    ]),
    inputs: inputs.map(BigInt),
    containment: Number(BigInt(words[1]!)),
    minted: minted.map((log) => ({ tokenId: BigInt(log.topics[1]!), tlcHash: log.topics[3]!, expiresAt: Number(BigInt(log.words[3]!)) })),
    amends: own.find((log) => log.topics[0] === keccak256(utf8(AMENDED)) && log.topics[2] === eventId)?.topics[1] ?? null,
  };
}

/** @returns its words */
function verifyPassport(
  told: { text: string; cid: string },
  event: Told,
  recorded: Recorded | null,
  chain: { chainId: number; contract: string },
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

/** What the passport says, held against the bytes of the events: of the product against what made it, of its origin against all of them. */
function verifyWords(
  passport: Members,
  events: readonly Told[],
  recorded: readonly (Recorded | null)[],
  { complete }: Lineage,
  tell: Tell,
  check: Check,
): void {
  const of = 'passport';
  if (events[0]!.text === null) {
    const detail =
      'Without the bytes of the event nothing here proves what the passport says of the product: compare it with the page of its issuer.';
    return tell('words ↔ bytes', of, 'left_out', detail);
  }
  const product = passport['product'] as Members;
  const byOthers = recorded.some((event) => event?.amends === events[0]!.eventId && event.actor !== recorded[0]?.actor);
  const wrong = strayWords(product, contentOf(0, events, recorded) ?? {}, recorded[0] ?? null);
  check(
    'words ↔ bytes',
    of,
    wrong.length === 0,
    `What the passport says of the product stands in the bytes of the event${byOthers ? ', as it was corrected by another account than its own: that should be an admin of the contract' : ''}.`,
    `The bytes of the event say otherwise of: ${wrong.join(', ')}.`,
  );
  if (!complete || events.some(({ text }) => text === null))
    return tell('origin ↔ bytes', of, 'left_out', 'Not all events of the origin are in this file with their bytes.');
  const contents = events.map((_, i) => contentOf(i, events, recorded)).filter((content) => content !== null);
  const strange = strayOrigin(passport, contents);
  check(
    'origin ↔ bytes',
    of,
    strange.length === 0,
    'What the passport says of steps and certificates stands in the bytes of the events.',
    `The bytes of no event say so: ${strange.join(', ')}.`,
  );
}

/** The metadata of an event, as it was last corrected. */
function contentOf(index: number, events: readonly Told[], recorded: readonly (Recorded | null)[], steps = 0): Members | null {
  const { eventId, text } = events[index]!;
  const better = events
    .map((event, i) => ({ i, at: event.blockNumber }))
    .filter(({ i }) => i !== index && recorded[i]?.amends === eventId)
    .sort((a, b) => b.at - a.at)[0];
  if (better && steps < 100) return contentOf(better.i, events, recorded, steps + 1);
  return text === null ? null : (((JSON.parse(text) as Members)['metadata'] ?? {}) as Members);
}

function strayWords(product: Members, metadata: Members, recorded: Recorded | null): string[] {
  const texts = textsIn(metadata);
  const { description = null, producedOn = null, bestBefore = null } = product;
  const expires = (recorded?.minted ?? []).flatMap(({ expiresAt }) => datesAround(expiresAt - 1));
  const stray = Object.entries((product['attributes'] ?? {}) as Members)
    .filter(([name, value]) => !valuesAt(metadata, name).some((whole) => within(value, whole)))
    .map(([name]) => name);
  if (description !== null && !texts.includes(said(description))) stray.push('description');
  if (producedOn !== null && !texts.includes(said(producedOn)) && !monthsIn(texts).includes(said(producedOn))) stray.push('producedOn');
  if (bestBefore !== null && !texts.includes(said(bestBefore)) && !expires.includes(said(bestBefore))) stray.push('bestBefore');
  return stray;
}

/** Steps that no event took, and certificates that none has. */
function strayOrigin(passport: Members, contents: readonly Members[]): string[] {
  const known = contents.map((metadata) => {
    const texts = textsIn(metadata);
    return { metadata, texts, months: monthsIn(texts) };
  });
  const steps = (((passport['origin'] ?? {}) as Members)['steps'] ?? []) as readonly Members[];
  const strange = steps.filter(({ country = null, region = null, month = null, attributes }) => {
    const here = known.filter(
      ({ texts, months }) =>
        (country === null || texts.includes(said(country))) &&
        (region === null || texts.includes(said(region))) &&
        (month === null || months.includes(said(month))),
    );
    const told = Object.entries((attributes ?? {}) as Record<string, Json[]>);
    return (
      here.length === 0 ||
      told.some(([name, values]) =>
        values.some((value) => !here.some(({ metadata }) => valuesAt(metadata, name).some((whole) => within(value, whole)))),
      )
    );
  });
  const documents = contents.flatMap(objectsIn).filter(({ visibility }) => visibility === 'public');
  const unknown = ((passport['certificates'] ?? []) as readonly Members[]).filter(
    ({ type, issuer = null, validTo = null }) =>
      !documents.some((one) => one['type'] === type && (one['issuer'] || null) === issuer && (one['validTo'] || null) === validTo),
  );
  return [...strange.map(({ process }) => said(process)), ...unknown.map(({ type }) => said(type))];
}

/** Values at `a.b.c`, whatever of the dots stand in names. */
function valuesAt(here: Json, name: string): Json[] {
  if (here === null || typeof here !== 'object') return [];
  return Object.entries(here as Members).flatMap(([key, value]) =>
    key === name ? [value] : name.startsWith(`${key}.`) ? valuesAt(value, name.slice(key.length + 1)) : [],
  );
}

/** Whether all that is shown is in the whole, of which parts may be kept for authorities. */
function within(shown: Json, whole: Json): boolean {
  if (shown === null || typeof shown !== 'object') return canonical(shown) === canonical(whole);
  if (whole === null || typeof whole !== 'object' || Array.isArray(shown) !== Array.isArray(whole)) return false;
  if (Array.isArray(shown)) return shown.every((item: Json) => (whole as readonly Json[]).some((one) => within(item, one)));
  return Object.entries(shown).every(([key, item]) => Object.hasOwn(whole, key) && within(item, (whole as Members)[key]!));
}

function objectsIn(value: Json): Members[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Members, ...inner];
}

const textsIn = (value: Json): string[] =>
  typeof value === 'string' ? [value] : value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);

/** Months of the times among these texts, in any time zone that is named there too. */
function monthsIn(texts: readonly string[]): string[] {
  const offsets = [0, ...texts.flatMap((text) => (/^[+-]\d\d:\d\d$/.test(text) ? [minutesOf(text)] : []))];
  return texts.flatMap((text) => {
    const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? [] : offsets.map((minutes) => new Date(time + minutes * 60_000).toISOString().slice(0, 7));
  });
}

const minutesOf = (offset: string): number =>
  (offset.startsWith('-') ? -1 : 1) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)));

/** Local dates of an instant: the earth has three at most. @param seconds since the epoch */
function datesAround(seconds: number): string[] {
  if (seconds <= 0 || seconds > 8e12) return [];
  return [-12, 0, 14].map((hours) => new Date((seconds + hours * 3_600) * 1_000).toISOString().slice(0, 10));
}

/** Every edge runs from an input of an event to what it made; and where nothing is left out, what went in was made by an event of the file. */
function verifyLineage({ edges, complete }: Lineage, events: readonly Told[], recorded: readonly (Recorded | null)[], check: Check): void {
  const once = new Set(events.map(({ eventId }) => eventId)).size === events.length;
  check('events', 'file', once, 'Every event stands once.', 'An event stands in the file more than once.');
  const holds = ({ from, to, eventId }: Edge): boolean =>
    recorded.some(
      (event) =>
        event?.eventId === eventId && event.inputs.includes(BigInt(from)) && event.minted.some(({ tokenId }) => tokenId === BigInt(to)),
    );
  if (edges.length > 0)
    check(
      'lineage ↔ receipts',
      'file',
      edges.every(holds),
      'Every step of the lineage is in a receipt.',
      'A step of the lineage is in no receipt.',
    );
  if (!complete) return;
  const made = new Set(recorded.flatMap((event) => event?.minted.map(({ tokenId }) => tokenId) ?? []));
  const missing = recorded.some(
    (event) => event !== null && event.containment === 0 && event.minted.length > 0 && event.inputs.some((input) => !made.has(input)),
  );
  check(
    'lineage ↔ inputs',
    'file',
    !missing,
    'The event that made each input is in the file.',
    'The file says that its lineage is complete, and an event that made an input is not there.',
  );
}

async function verifyOnChain(
  events: readonly Told[],
  chain: { chainId: number; contract: string },
  mintTx: string,
  ask: AskChain,
  tell: Tell,
  check: Check,
): Promise<void> {
  const asking: AskChain = async (method, params) => {
    try {
      return await ask(method, params);
    } catch (error) {
      throw new Unanswered((error as Error).message);
    }
  };
  try {
    await askOnChain(events, chain, mintTx, asking, tell, check);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    tell('block ↔ chain', 'file', 'unanswered', `The node gave no answer, which says nothing of the file: ${error.message}`);
  }
}

class Unanswered extends Error {}

async function askOnChain(
  events: readonly Told[],
  { chainId, contract }: { chainId: number; contract: string },
  mintTx: string,
  ask: AskChain,
  tell: Tell,
  check: Check,
): Promise<void> {
  const asked = toChainId(await ask('eth_chainId', []));
  check('chain', 'file', asked === chainId, `The node is of chain ${asked}.`, `The node is of chain ${asked}, not of ${chainId}.`);
  const receipt = (await ask('eth_getTransactionReceipt', [mintTx])) as { blockHash?: string; transactionIndex?: string } | null;
  const first = events[0]!;
  const same = receipt?.blockHash === first.blockHash && Number(receipt.transactionIndex) === first.transactionIndex;
  check(
    'transaction ↔ receipt',
    'passport',
    same,
    'The transaction that the passport names has this receipt.',
    'The transaction that the passport names has another receipt.',
  );
  for (const [i, { blockNumber, blockHash, eventId, commitment }] of events.entries()) {
    const of = `event ${i + 1}`;
    const block = (await ask('eth_getBlockByNumber', [`0x${blockNumber.toString(16)}`, false])) as { hash?: string } | null;
    check(
      'block ↔ chain',
      of,
      block?.hash === blockHash,
      `Block ${blockNumber} is on the chain.`,
      `Block ${blockNumber} of the chain is ${block?.hash ?? 'not there'}.`,
    );
    const data = keccak256(utf8('eventCommitment(bytes32)')).slice(0, 10) + eventId.slice(2);
    const kept = (await ask('eth_call', [{ to: contract, data }, 'latest'])) as string;
    if (kept === VOIDED) tell('commitment ↔ contract', of, 'broken', 'The event was voided since: what it recorded was taken back.');
    else check('commitment ↔ contract', of, kept === commitment, 'The contract keeps this commitment.', `The contract keeps ${kept}.`);
  }
}

const VOIDED = `0x${'1'.padStart(64, '0')}`;
const toChainId = (value: unknown): number => Number(value);
/** A member that ought to be a text. */
const said = (value: Json | undefined): string => (typeof value === 'string' ? value : canonical(value ?? null));

// --- bytes -----------------------------------------------------------------------------------------------------------------------------

type Bytes = Uint8Array;

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
const toHex = (bytes: Bytes): string => `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
const toNumber = (bytes: Bytes): number => bytes.reduce((value, byte) => value * 256 + byte, 0);

function hex(text: string): Bytes {
  if (!/^0x([0-9a-f]{2})*$/.test(text)) throw new Error(`${text.slice(0, 20)} is not hexadecimal`);
  return Uint8Array.from(text.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const wordsOf = (data: Bytes): string[] => Array.from({ length: data.length / 32 }, (_, i) => toHex(data.slice(32 * i, 32 * i + 32)));
const hashOfWords = (words: readonly (string | bigint)[]): string =>
  keccak256(
    hex(
      `0x${words.map((word) => (typeof word === 'string' ? word.slice(2).toLowerCase() : word.toString(16)).padStart(64, '0')).join('')}`,
    ),
  );

/** RFC 8785: members by UTF-16 code units, numbers and texts as ECMAScript writes them. */
function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = value as Members;
  return `{${Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(members[key]!)}`)
    .join(',')}}`;
}

/** CIDv1, raw codec, sha2-256, base32. */
function cidOf(dataHash: string): string {
  const bytes = [0x01, 0x55, 0x12, 0x20, ...hex(dataHash)];
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return `b${(bits.match(/.{1,5}/g) ?? []).map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')}`;
}

// --- RLP and the trie (Ethereum yellow paper, appendices B and D) -----------------------------------------------------------------------

type Rlp = Bytes | Rlp[];

function decodeRlp(bytes: Bytes): Rlp {
  const [value, end] = itemAt(bytes, 0);
  if (end !== bytes.length) throw new Error('there are bytes behind an RLP item');
  return value;
}

function itemAt(bytes: Bytes, at: number): [Rlp, number] {
  const first = bytes[at];
  if (first === undefined) throw new Error('an RLP item ends too early');
  if (first < 0x80) return [bytes.slice(at, at + 1), at + 1];
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  const lengthBytes = short > 55 ? short - 55 : 0;
  const start = at + 1 + lengthBytes;
  const end = start + (lengthBytes > 0 ? toNumber(bytes.slice(at + 1, start)) : short);
  if (end > bytes.length) throw new Error('an RLP item ends too early');
  if (!isList) return [bytes.slice(start, end), end];
  const items: Rlp[] = [];
  for (let next = start; next < end; ) {
    const [item, after] = itemAt(bytes, next);
    items.push(item);
    next = after;
  }
  return [items, end];
}

function encodeRlpNumber(value: number): Bytes {
  if (value === 0) return Uint8Array.of(0x80);
  if (value < 0x80) return Uint8Array.of(value);
  const digits = value.toString(16);
  const bytes = hex(`0x${digits.length % 2 ? '0' : ''}${digits}`);
  return Uint8Array.of(0x80 + bytes.length, ...bytes);
}

/** The value at a key, along nodes of which each hashes to what the one before says; null where they do not lead there. */
function leafOf(root: string, key: Bytes, nodes: readonly Bytes[]): Bytes | null {
  let path = Array.from(key).flatMap((byte) => [byte >> 4, byte & 15]);
  let wanted = root;
  for (const [i, bytes] of nodes.entries()) {
    if (keccak256(bytes) !== wanted) return null;
    const node = decodeRlp(bytes) as Rlp[];
    let next: Rlp;
    if (node.length === 17) {
      next = path.length === 0 ? node[16]! : node[path[0]!]!;
      if (path.length === 0) return i === nodes.length - 1 ? (next as Bytes) : null;
      path = path.slice(1);
    } else {
      const prefix = Array.from(node[0] as Bytes).flatMap((byte) => [byte >> 4, byte & 15]);
      const part = prefix.slice(prefix[0]! % 2 === 1 ? 1 : 2);
      if (part.some((nibble, at) => nibble !== path[at])) return null;
      path = path.slice(part.length);
      if (prefix[0]! >= 2) return path.length === 0 && i === nodes.length - 1 ? (node[1] as Bytes) : null;
      next = node[1]!;
    }
    // Receipts are longer than 32 bytes, so every node of their trie is named by its hash.
    if (!(next instanceof Uint8Array) || next.length !== 32) return null;
    wanted = toHex(next);
  }
  return null;
}

// --- hashes ----------------------------------------------------------------------------------------------------------------------------

const ROTATIONS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];
const ROUNDS = roundConstants();

/** Low and high half of each. */
function roundConstants(): [number, number][] {
  let state = 1;
  return Array.from({ length: 24 }, () => {
    const halves: [number, number] = [0, 0];
    for (let j = 0; j < 7; j++) {
      const bit = 2 ** j - 1;
      if (state & 1) halves[bit < 32 ? 0 : 1] |= 1 << (bit % 32);
      state = state & 0x80 ? ((state << 1) ^ 0x171) & 0xff : state << 1;
    }
    return halves;
  });
}

/** Keccak-256 as Ethereum uses it (padding 0x01). Lanes are pairs of 32 bits: 64-bit integers cost thirty times as much here. */
function keccak256(bytes: Bytes): string {
  const rate = 136;
  const padded = new Uint8Array(Math.ceil((bytes.length + 1) / rate) * rate);
  padded.set(bytes);
  padded[bytes.length]! |= 0x01;
  padded[padded.length - 1]! |= 0x80;
  const view = new DataView(padded.buffer);
  const lanes = new Int32Array(50);
  for (let block = 0; block < padded.length; block += rate) {
    for (let i = 0; i < rate / 4; i++) lanes[i]! ^= view.getInt32(block + 4 * i, true);
    for (const constant of ROUNDS) keccakRound(lanes, constant);
  }
  const out = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 8; i++) out.setInt32(4 * i, lanes[i]!, true);
  return toHex(new Uint8Array(out.buffer));
}

const columns = new Int32Array(10);
const moved = new Int32Array(50);

/** FIPS 202, §3.2: θ, then ρ and π, then χ and ι. */
function keccakRound(a: Int32Array, [low, high]: readonly [number, number]): void {
  for (let i = 0; i < 10; i++) columns[i] = a[i]! ^ a[i + 10]! ^ a[i + 20]! ^ a[i + 30]! ^ a[i + 40]!;
  for (let x = 0; x < 5; x++) {
    const [left, next] = [2 * ((x + 4) % 5), 2 * ((x + 1) % 5)];
    const [l, h] = [columns[next]!, columns[next + 1]!];
    const [dl, dh] = [columns[left]! ^ ((l << 1) | (h >>> 31)), columns[left + 1]! ^ ((h << 1) | (l >>> 31))];
    for (let y = 0; y < 5; y++)
      place(2 * (y + 5 * ((2 * x + 3 * y) % 5)), a[2 * (x + 5 * y)]! ^ dl, a[2 * (x + 5 * y) + 1]! ^ dh, ROTATIONS[x + 5 * y]!);
  }
  for (let row = 0; row < 50; row += 10)
    for (let i = 0; i < 10; i++) a[row + i] = moved[row + i]! ^ (~moved[row + ((i + 2) % 10)]! & moved[row + ((i + 4) % 10)]!);
  a[0]! ^= low;
  a[1]! ^= high;
}

function place(at: number, low: number, high: number, by: number): void {
  const [l, h] = by >= 32 ? [high, low] : [low, high];
  const n = by % 32;
  moved[at] = n === 0 ? l : (l << n) | (h >>> (32 - n));
  moved[at + 1] = n === 0 ? h : (h << n) | (l >>> (32 - n));
}

const PRIMES = Array.from({ length: 400 }, (_, i) => i).filter(
  (n) => n > 1 && Array.from({ length: n }, (__, d) => d).every((d) => d < 2 || n % d !== 0),
);
/** First 32 bits of the fractional part of a root, exactly: by integers, since roots differ between machines in their last digits. */
const fraction = (prime: number, power: bigint): number => Number(rootOf(BigInt(prime) << (32n * power), power) & 0xffffffffn);
function rootOf(value: bigint, power: bigint): bigint {
  let [low, high] = [0n, 1n << 40n];
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** power <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}
const START = PRIMES.slice(0, 8).map((prime) => fraction(prime, 2n));
const CUBES = PRIMES.slice(0, 64).map((prime) => fraction(prime, 3n));

/** SHA-256 (FIPS 180-4). @returns `0x` and 64 digits */
function sha256(bytes: Bytes): string {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const state = [...START];
  for (let block = 0; block < padded.length; block += 64) shaBlock(state, view, block);
  return `0x${state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')}`;
}

const right = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function shaBlock(state: number[], view: DataView, block: number): void {
  const w = Array.from({ length: 16 }, (_, i) => view.getUint32(block + 4 * i));
  for (let i = 16; i < 64; i++) {
    const [x, y] = [w[i - 15]!, w[i - 2]!];
    w[i] = (w[i - 16]! + (right(x, 7) ^ right(x, 18) ^ (x >>> 3)) + w[i - 7]! + (right(y, 17) ^ right(y, 19) ^ (y >>> 10))) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const t = (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + CUBES[i]! + w[i]!) | 0;
    const u = ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t) | 0, c, b, a, (t + u) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i]! + word) | 0;
}

/** For tests: held against other writings of the same. */
export const primitives = { sha256, keccak256, cidOf, canonical, valuesAt, within };
