import type { TableShape } from '#spreadsheets';
import type { TransferView } from './custody-lists.dto.js';

const COLUMNS = [
  ...(['timestamp', 'status', 'tlc', 'tokenId', 'from', 'to', 'offeredAt', 'acceptedAt', 'handedOverAt'] as const),
  ...(['fromLabel', 'toLabel', 'assetType', 'assetTypeName', 'remainingQuantity', 'uom', 'expiresAt'] as const),
  ...(['handedOverTimeZoneOffset', 'viaContainerTokenId', 'reason', 'transferId', 'eventId', 'txHash', 'blockNumber'] as const),
] satisfies readonly (keyof TransferView)[];

export const TRANSFERS_TABLE: TableShape<TransferView> = {
  name: 'transfers',
  columns: COLUMNS,
  linesOf: (transfer) => [Object.fromEntries(COLUMNS.map((name) => [name, transfer[name]]))],
};
