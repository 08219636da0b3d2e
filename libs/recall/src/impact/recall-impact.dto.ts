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
import { AsOfField, type AsOfQuery, LotView, type DescentAnswer } from '#traceability';
import { type Impact, affectedOf } from './assess-impact.js';

/** Bounds of the walk forward (docs/spec/domain.md#recall). */
export class ImpactQuery implements AsOfQuery {
  @IntegerField({ description: 'Levels from the lot', min: 1, max: 200, optional: true, default: 50 })
  maxDepth: number = 50;

  @IntegerField({ description: 'Lots reached', min: 1, max: 20_000, optional: true, default: 5000 })
  maxNodes: number = 5000;

  @AsOfField()
  asOf?: string;

  @StringField({
    description: '`nextCursor` of a truncated answer: the next lots, and the sums over them',
    optional: true,
    maxLength: 400,
  })
  cursor?: string;
}

/** A lot (docs/spec/service.md#lot) with how it was reached, without its location. */
class AffectedLotView extends OmitType(LotView, ['location']) {
  @EnumField(['part', 'transformed', 'contained'], {
    description:
      '`part`: the same goods as the recalled lot, one split from the other; `transformed`: made from it; `contained`: packed in the recalled container. The first of them where several roads lead to the lot. A part of a lot has the relation of that lot',
  })
  relation: string;

  @IntegerField({ description: 'Shortest distance from the recalled lot' })
  depth: number;

  @NumberField({ description: 'Part of the mass of the recalled lot that went into it; null where a mass is unknown', nullable: true })
  share: number | null;
}

class ContainerView {
  @IntegerField({ description: 'The container' })
  tokenId: number;

  @StringField({ description: 'Its traceability lot code' })
  tlc: string;

  @IntegerField({ description: 'Shortest distance from the recalled lot' })
  depth: number;

  @StringField({ description: 'Its status' })
  status: string;

  @StringField({ description: 'EIP-55 address of its custodian' })
  custodian: string;
}

class AffectedActorView {
  @StringField({ description: 'EIP-55 address' })
  address: string;

  @StringField({ description: '`did:pkh` of the address' })
  did: string;

  @StringField({ description: 'Label of the address' })
  label: string;

  @StringField({ description: 'Kind of the label; `address`: nobody is known' })
  labelKind: string;

  @StringListField({ description: '`custodian` now, `pending`, or `past`' })
  roles: readonly string[];

  @TokenIdListField({ description: 'Lots it holds or held, the first 100' })
  tokenIds: readonly number[];
}

class UnitsView {
  @StringField({ description: 'Key in the process map', nullable: true })
  assetType: string | null;

  @StringField({ description: "The asset type's name", nullable: true })
  assetTypeName: string | null;

  @IntegerField({ description: 'Lots of it' })
  lots: number;

  @IntegerField({ description: 'Units of it in the market or in stock' })
  units: number;
}

/** docs/spec/service.md#recall-impact, with additional fields (docs/spec/domain.md#recall). */
export class RecallImpactView {
  @ObjectListField(() => AffectedLotView, { description: 'Affected lots, by depth, then token id' })
  descendants: readonly AffectedLotView[];

  @StringListField({ description: 'EIP-55 addresses, sorted: current, pending and past custodians of the recalled and the affected lots' })
  affectedActors: readonly string[];

  @IntegerField({
    description:
      'Consumer units in the recalled and the affected lots; null where these are not all here: `unitsByAssetType` has those of this answer',
    nullable: true,
  })
  estimatedUnits: number | null;

  @ObjectListField(() => ContainerView, { description: 'Containers that only hold an affected lot' })
  containers: readonly ContainerView[];

  @ObjectListField(() => AffectedActorView, { description: 'The actors with the lots they hold or held' })
  actors: readonly AffectedActorView[];

  @ObjectListField(() => UnitsView, { description: 'Units by asset type' })
  unitsByAssetType: readonly UnitsView[];

  @JsonObjectField({ description: 'Remaining in stock and in the market, by UNECE code of the unit' })
  quantities: Readonly<Record<string, number>>;

  @StringListField({ description: 'ISO 3166-1 countries where the lots were made' })
  countries: readonly string[];

  @JsonObjectField({
    description:
      '`total`, `lots[]` and `unmeasured[]`: producedKg, usedKg, onHandKg, retiredKg, lossKg, unaccountedKg, accountedPercent of each. The total counts mass once (what was used is in the lots made of it) and is null where the lots are not all here',
  })
  reconciliation: object;

  @BooleanField({ description: 'Whether the walk stopped at a bound: then all of the above covers only a part' })
  truncated: boolean;

  @EnumField(['maxDepth', 'maxNodes'], { description: 'The bound it stopped at', nullable: true })
  truncatedBy: string | null;

  @TokenIdListField({ description: 'Lots that lead to more' })
  frontier: readonly number[];

  @StringField({ description: 'Continues exactly where it stopped, with `cursor`', nullable: true })
  nextCursor: string | null;

  @IntegerField({ description: 'Lots for which holders have answered to the open recalls of this lot' })
  acknowledgedCount: number;

  @JsonObjectField({ description: '`{ block }`: the last block that is included' })
  asOf: object;

  @IntegerField({ description: 'Duration in milliseconds' })
  elapsedMs: number;
}

const LISTED = 100;

interface ImpactContext {
  readonly chainId: number;
  readonly labels: ReadonlyMap<string, PartyLabel>;
  readonly block: number;
  readonly nextCursor: string | null;
  readonly acknowledged: number;
  readonly elapsedMs: number;
}

/** The whole answer without the lots, which are text already. */
function recallImpactView(impact: Impact, context: ImpactContext): Omit<RecallImpactView, 'descendants'> {
  const { tally, truncated, truncatedBy, frontier } = impact;
  const { total, lots, unmeasured } = tally.reconciliation;
  return {
    affectedActors: tally.affectedActors,
    estimatedUnits: impact.whole ? tally.estimatedUnits : null,
    containers: impact.reached
      .filter(({ relation }) => relation === 'container')
      .map(({ tokenId, depth, lot: { tlc, status, custodian } }) => ({ tokenId: Number(tokenId), tlc, depth, status, custodian })),
    actors: tally.affectedActors.map((address) => {
      const { label, kind } = context.labels.get(address)!;
      const known = tally.actorRoles.get(address);
      return {
        address,
        did: walletDid(context.chainId, address),
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
      total: impact.whole ? total : null,
      lots: lots.map(({ tokenId, balance }) => ({ tokenId: Number(tokenId), ...balance })),
      unmeasured: unmeasured.map(Number),
    },
    truncated,
    truncatedBy,
    frontier: frontier.map(Number),
    nextCursor: context.nextCursor,
    asOf: { block: context.block },
    acknowledgedCount: context.acknowledged,
    elapsedMs: context.elapsedMs,
  };
}

/**
 * The answer as JSON, in pieces: ten thousand lots in one text, and again in bytes, would need more memory than any other answer.
 * The sums are computed after the lots, while these are being sent.
 */
export function* recallImpactText(
  impact: Impact,
  shapes: Pick<DescentAnswer, 'shape' | 'shares'>,
  context: ImpactContext,
): Generator<Uint8Array> {
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
  pieces.write(`],${JSON.stringify(recallImpactView(impact, context)).slice(1)}`);
  pieces.end();
  yield* pieces.taken();
}

const rounded = (share: number | null): number | null => (share === null ? null : Math.round(share * 1e6) / 1e6);
