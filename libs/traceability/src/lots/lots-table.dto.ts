import type { TableShape } from '#spreadsheets';
import type { LotView } from './lots-response.dto.js';

/** What a table says of a lot: all but its metadata, which is different for each process. */
const COLUMNS = [
  ...(['tokenId', 'tlc', 'gtin', 'serial', 'key', 'assetType', 'assetTypeName', 'status', 'quantity', 'remainingQuantity', 'uom'] as const),
  ...(['custodian', 'custodianLabel', 'pendingCustodian', 'createdAt', 'expiresAt', 'expired', 'recalled', 'recallAffected'] as const),
  ...(['holdsRecalled', 'onHold', 'contained', 'isContainer', 'containerTokenId', 'splitFrom', 'retireReason'] as const),
  ...(['processMapName', 'processMapVersion', 'mintEventId', 'eventCount', 'txHash', 'blockNumber', 'dataHash', 'metadataCid'] as const),
  ...(['digitalLink', 'confirmed'] as const),
] satisfies readonly (keyof LotView)[];
const PLACE = { locationName: 'name', locationCountry: 'country', locationGln: 'gln' } as const;

export const LOTS_TABLE: TableShape<LotView> = {
  name: 'lots',
  columns: [...COLUMNS, ...Object.keys(PLACE)],
  linesOf: (lot) => [{ ...Object.fromEntries(COLUMNS.map((name) => [name, lot[name]])), ...placeIn(lot.location) }],
};

function placeIn(location: object | null): Record<string, string | null> {
  const place = (location ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(PLACE).map(([column, name]) => [column, typeof place[name] === 'string' ? place[name] : null]));
}
