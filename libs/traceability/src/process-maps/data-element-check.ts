import type { Problem } from '#kernel';
import type { AssetType, DataElementRule, ProcessMapDocument } from './process-map.js';

/** Each level takes up to three of the document of a passport, which has 32 at most. */
const MOST_LEVELS = 8;
/** Names that the header of a passport has (EN 18223 Table 1), and `elements`, which a full representation has. */
const HEADER = new Set(
  (
    'digitalProductPassportId uniqueProductIdentifier granularity dppSchemaVersion dppStatus lastUpdated lastUpdate economicOperatorId ' +
    'facilityId contentSpecificationIds elements erased'
  ).split(' '),
);

/** What prevents passports of the asset types (docs/spec/domain.md#passport-documents). */
export const dataElementProblems = (map: ProcessMapDocument): Problem[] =>
  Object.entries(map.assetTypes).flatMap(([key, type]) => [
    ...granularityProblems(type, `/assetTypes/${key}`),
    ...(type.dataElements ?? []).flatMap((rule, i) =>
      HEADER.has(rule.id)
        ? [
            {
              pointer: `/assetTypes/${key}/dataElements/${i}/id`,
              code: 'reserved_name',
              message: `${rule.id} is a name of the header of a passport`,
            },
          ]
        : [],
    ),
    ...listProblems(type.dataElements ?? [], `/assetTypes/${key}/dataElements`, 1),
  ]);

const granularityProblems = ({ granularity, gtin }: AssetType, at: string): Problem[] =>
  granularity === 'model' && gtin === undefined
    ? [
        {
          pointer: `${at}/granularity`,
          code: 'model_without_gtin',
          message: 'a passport of a model is named by the GTIN of its asset type',
        },
      ]
    : [];

function listProblems(rules: readonly DataElementRule[], at: string, level: number): Problem[] {
  if (level > MOST_LEVELS) return [{ pointer: at, code: 'too_deep', message: `elements may be nested ${MOST_LEVELS} levels deep` }];
  const seen = new Set<string>();
  return rules.flatMap((rule, i) => {
    const place = `${at}/${i}`;
    const isKnown = seen.has(rule.id);
    seen.add(rule.id);
    return [
      ...(isKnown ? [{ pointer: `${place}/id`, code: 'duplicate_element', message: `another element here is named ${rule.id}` }] : []),
      ...ruleProblems(rule, place),
      ...listProblems(rule.elements ?? [], `${place}/elements`, level + 1),
    ];
  });
}

function ruleProblems({ path, value, elements }: DataElementRule, place: string): Problem[] {
  const sources = [path !== undefined && 'path', value !== undefined && 'value', elements !== undefined && 'elements'].filter(Boolean);
  if (sources.length === 0)
    return [{ pointer: place, code: 'element_without_value', message: 'an element has a path, a value or elements' }];
  if (value === undefined || sources.length === 1) return [];
  return [{ pointer: `${place}/value`, code: 'two_values', message: 'an element with a value has neither path nor elements' }];
}
