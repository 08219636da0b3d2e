import type { Json, Members } from './json.js';

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
export const FILE: Form = {
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
export function strayIn(form: Form, value: Json | undefined, at: string): string | null {
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
