import type { FlowEvent, FlowOutput } from './footprint-flow.js';

/** An event of a lot's tree, with the process map under which it was recorded; null while its words are unknown. */
export interface ClaimEvent extends FlowEvent {
  readonly map: string | null;
}

interface Claimed {
  readonly output: FlowOutput;
  /** Part of it that is of known origin; null where a mass that decides is unknown. */
  readonly share: number | null;
}

/**
 * The claim share of some lots (domain-decisions §4, ISO 22095): q(l) = Σ q(i) · mass share of input i. Of known origin is what events of
 * the claiming map made; goods of another map, or of a making that is not known, count as 0. Packing changes nothing.
 * @param events in the order in which they count
 * @returns 0 to 1, six decimals; null where masses that decide are unknown, and for lots of several maps, which make no one claim
 */
export function claimShareOf(roots: ReadonlySet<bigint>, events: readonly ClaimEvent[]): number | null {
  const making = events.filter(({ packs, outputs }) => packs === null && outputs.length > 0);
  const maps = new Set(making.flatMap(({ map, outputs }) => outputs.flatMap(({ tokenId }) => (roots.has(tokenId) ? [map] : []))));
  const [claiming] = maps;
  if (maps.size !== 1 || !claiming) return null;
  const lots = new Map<bigint, Claimed>();
  for (const event of making) {
    const used = event.inputs.filter(({ drawn }) => drawn !== 0);
    const made = used.length === 0 ? 1 : mixed(used.map(({ tokenId, drawn }) => partOf(lots.get(tokenId), drawn)));
    const share = event.map === claiming ? made : 0;
    for (const output of event.outputs) lots.set(output.tokenId, { output, share });
  }
  const share = mixed([...roots].map((root) => partOf(lots.get(root), null)));
  return share === null ? null : Math.round(share * 1e6) / 1e6;
}

interface Part {
  readonly share: number | null;
  readonly massKg: number | null;
}

/** @param drawn millionths of the lot's own unit; null = all of it */
function partOf(lot: Claimed | undefined, drawn: number | null): Part {
  if (!lot) return { share: 0, massKg: null };
  const { quantity, massKg } = lot.output;
  const part = drawn === null ? 1 : quantity === null ? null : drawn / quantity;
  return { share: lot.share, massKg: massKg === null || part === null ? null : massKg * part };
}

/** Parts that are alike need no masses to be added up. */
function mixed(parts: readonly Part[]): number | null {
  const [first, ...others] = parts;
  if (first && others.every(({ share }) => share === first.share)) return first.share;
  let [claimed, all] = [0, 0];
  for (const { share, massKg } of parts) {
    if (share === null || massKg === null) return null;
    claimed += share * massKg;
    all += massKg;
  }
  return all === 0 ? null : claimed / all;
}
