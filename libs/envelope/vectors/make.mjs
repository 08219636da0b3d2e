// Writes envelope.json again after a change of the format: `node libs/envelope/vectors/make.mjs`, from the root, after `npm run build`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Classes, hexOf, openContent, readEnvelope, sealContent } from '#envelope';

const file = 'libs/envelope/vectors/envelope.json';
const hex = (key) => key && Buffer.from(key).toString('hex');

/** The stream of random bytes of a seed: SHA-256 of `seed/0`, `seed/1` …, cut to what is drawn. */
function steady(seed) {
  let drawn = 0;
  return (count) => {
    const blocks = Array.from({ length: Math.ceil(count / 32) }, () => createHash('sha256').update(`${seed}/${drawn++}`).digest());
    return Buffer.concat(blocks).subarray(0, count);
  };
}

const vectors = JSON.parse(readFileSync(file, 'utf8')).map(({ name, subject, rules, content, seed }) => {
  const { bytes, keys, hidden } = sealContent(content, rules && new Classes(rules), subject, steady(seed));
  const { tree } = openContent(readEnvelope(bytes), { tenant: subject.tenant, keys, hidden, erased: [] });
  const hexKeys = Object.fromEntries(Object.entries(keys).map(([of, key]) => [of, Array.isArray(key) ? key.map(hex) : hex(key)]));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    name,
    subject,
    rules,
    content,
    seed,
    block: bytes.toString(),
    sha256,
    tree: tree.map((hash) => hexOf(hash).slice(2)),
    keys: hexKeys,
  };
});
writeFileSync(file, `${JSON.stringify(vectors, null, 2)}\n`);
