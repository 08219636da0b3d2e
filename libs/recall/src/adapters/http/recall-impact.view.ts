import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  NumberField,
  ObjectListField,
  StringField,
  StringListField,
  TextPieces,
  TokenIdListField,
} from '#http';
import { OmitType } from '@nestjs/swagger';
import type { PartyLabel } from '#identity';
import { walletDid } from '#kernel';
import { AsOfField, type LooksBack, LotView, type Shapes } from '#traceability';
import { type Impact, affectedOf } from '../../application/assess-impact.js';

/** Bounds of the walk forward (domain-decisions §3). */
export class ImpactQuery implements LooksBack {
  @IntegerField({ description: 'Levels from the lot', min: 1, max: 200, optional: true, default: 50 })
  maxDepth: number = 50;

  @IntegerField({ description: 'Lots reached', min: 1, max: 20_000, optional: true, default: 5000 })
  maxNodes: number = 5000;

  @AsOfField()
  asOf?: string;

  @StringField({
    description: '`nextCursor` of an answer that was cut: the next lots, and the sums over them',
    optional: true,
    maxLength: 400,
  })
  cursor?: string;
}

/** A lot in the shape of the specification, §2.10, with how it was reached; without its place. */
export class AffectedLotView extends OmitType(LotView, ['location']) {
  @EnumField(['transformed', 'contained'], { description: 'Made from an affected lot, or packed in the recalled container' })
  relation: string;

  @IntegerField({ description: 'Shortest distance from the recalled lot' })
  depth: number;

  @NumberField({ description: 'Part of the mass of the recalled lot that went into it; null where a mass is unknown', nullable: true })
  share: number | null;
}

export class ContainerView {
  @IntegerField({ description: 'The container' })
  tokenId: number;

  @StringField({ description: 'Its code' })
  tlc: string;

  @IntegerField({ description: 'Shortest distance from the recalled lot' })
  depth: number;

  @StringField({ description: 'What it is' })
  status: string;

  @StringField({ description: 'EIP-55 address of whoever holds it' })
  custodian: string;
}

export class AffectedActorView {
  @StringField({ description: 'EIP-55 address' })
  address: string;

  @StringField({ description: '`did:pkh` of the address' })
  did: string;

  @StringField({ description: 'Who is behind it' })
  label: string;

  @StringField({ description: 'What kind of label it is; `address`: nobody is known' })
  labelKind: string;

  @StringListField({ description: '`custodian` now, `pending`, or `past`' })
  roles: readonly string[];

  @TokenIdListField({ description: 'Lots it holds or held, the first 100' })
  tokenIds: readonly number[];
}

export class UnitsView {
  @StringField({ description: 'Key in the process map', nullable: true })
  assetType: string | null;

  @StringField({ description: "The asset type's name", nullable: true })
  assetTypeName: string | null;

  @IntegerField({ description: 'Lots of it' })
  lots: number;

  @IntegerField({ description: 'Units of it that are out there or in stock' })
  units: number;
}

/** Specification §2.11, and what is additive (domain-decisions §3). */
export class RecallImpactView {
  @ObjectListField(() => AffectedLotView, { description: 'Affected lots, by depth, then token id' })
  descendants: readonly AffectedLotView[];

  @StringListField({ description: 'EIP-55 addresses, sorted: current, pending and past custodians of the recalled and the affected lots' })
  affectedActors: readonly string[];

  @IntegerField({ description: 'Consumer units in the recalled and the affected lots' })
  estimatedUnits: number;

  @ObjectListField(() => ContainerView, { description: 'Containers that merely hold an affected lot' })
  containers: readonly ContainerView[];

  @ObjectListField(() => AffectedActorView, { description: 'The actors with what they hold or held' })
  actors: readonly AffectedActorView[];

  @ObjectListField(() => UnitsView, { description: 'Units by asset type' })
  unitsByAssetType: readonly UnitsView[];

  @JsonObjectField({ description: 'What is left and out there, by UNECE code of the unit' })
  quantities: Readonly<Record<string, number>>;

  @StringListField({ description: 'ISO 3166-1 countries where the lots were made' })
  countries: readonly string[];

  @JsonObjectField({
    description:
      '`total`, `lots[]` and `unmeasured[]`: producedKg, usedKg, onHandKg, retiredKg, lossKg, unaccountedKg, accountedPercent of each',
  })
  reconciliation: object;

  @BooleanField({ description: 'Whether there is more than the bounds allowed: then all of the above is of a part' })
  truncated: boolean;

  @EnumField(['maxDepth', 'maxNodes'], { description: 'Which bound cut it', nullable: true })
  truncatedBy: string | null;

  @TokenIdListField({ description: 'Lots that lead to more' })
  frontier: readonly number[];

  @StringField({ description: 'Goes on exactly where it was cut, with `cursor`', nullable: true })
  nextCursor: string | null;

  @JsonObjectField({ description: '`{ block }`: the last block that counts' })
  asOf: object;

  @IntegerField({ description: 'How long it took, in milliseconds' })
  elapsedMs: number;
}

const LISTED = 100;

export interface Surroundings {
  readonly chainId: number;
  readonly labels: ReadonlyMap<string, PartyLabel>;
  readonly block: number;
  readonly nextCursor: string | null;
  readonly elapsedMs: number;
}

/** The whole answer but for the lots, which are text already. */
function recallImpactView(impact: Impact, around: Surroundings): Omit<RecallImpactView, 'descendants'> {
  const { tally, truncated, truncatedBy, frontier } = impact;
  const { total, lots, unmeasured } = tally.reconciliation;
  return {
    affectedActors: tally.affectedActors,
    estimatedUnits: tally.estimatedUnits,
    containers: impact.reached
      .filter(({ relation }) => relation === 'container')
      .map(({ tokenId, depth, trace: { tlc, status, custodian } }) => ({ tokenId: Number(tokenId), tlc, depth, status, custodian })),
    actors: tally.affectedActors.map((address) => {
      const { label, kind } = around.labels.get(address)!;
      const known = tally.actorRoles.get(address);
      return {
        address,
        did: walletDid(around.chainId, address),
        label,
        labelKind: kind,
        roles: [...(known?.roles ?? [])].toSorted(),
        tokenIds: (known?.tokenIds ?? []).slice(0, LISTED).map(Number),
      };
    }),
    unitsByAssetType: tally.unitsByAssetType,
    quantities: tally.quantities,
    countries: tally.countries,
    reconciliation: {
      total,
      lots: lots.map(({ tokenId, balance }) => ({ tokenId: Number(tokenId), ...balance })),
      unmeasured: unmeasured.map(Number),
    },
    truncated,
    truncatedBy,
    frontier: frontier.map(Number),
    nextCursor: around.nextCursor,
    asOf: { block: around.block },
    elapsedMs: around.elapsedMs,
  };
}

/**
 * The answer as JSON, in pieces: ten thousand lots in one text, and that once more in bytes, would be the most memory that any answer takes.
 * The sums are made behind the lots, while these are on their way.
 */
export function* recallImpactText(impact: Impact, shapes: Pick<Shapes, 'shape' | 'shares'>, around: Surroundings): Generator<Uint8Array> {
  const pieces = new TextPieces();
  pieces.write('{"descendants":[');
  let brace = '{';
  for (const { tokenId, relation, depth } of affectedOf(impact.reached)) {
    pieces.write(brace);
    for (const part of shapes.shape(tokenId)) pieces.write(part);
    const share = rounded(shapes.shares.get(tokenId) ?? null);
    pieces.write(`,"relation":"${relation}","depth":${depth},"share":${share}}`);
    brace = ',{';
    yield* pieces.taken();
  }
  pieces.end();
  yield* pieces.taken();
  pieces.write(`],${JSON.stringify(recallImpactView(impact, around)).slice(1)}`);
  pieces.end();
  yield* pieces.taken();
}

const rounded = (share: number | null): number | null => (share === null ? null : Math.round(share * 1e6) / 1e6);
