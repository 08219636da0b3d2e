import { type Drill, DRILL_PARTS } from '../../domain/drill.js';

/** A drill as rows of (section, item, value, unit), RFC 4180; what a spreadsheet would take for a formula is told apart. */
export function drillCsv({ id, tokenId, tlc, drawn, startedAt, startedBy, score, report }: Drill): string {
  const { traceBack, traceForward, massBalance, kde, custodians, estimatedUnits, elapsedMs, parts } = report;
  const rows: (readonly (string | number | boolean | null)[])[] = [
    ['section', 'item', 'value', 'unit'],
    ['drill', 'id', id, ''],
    ['drill', 'tokenId', Number(tokenId), ''],
    ['drill', 'tlc', tlc, ''],
    ['drill', 'drawn', drawn, ''],
    ['drill', 'startedAt', startedAt.toISOString(), ''],
    ['drill', 'startedBy', startedBy, ''],
    ['drill', 'elapsed', elapsedMs, 'ms'],
    ['drill', 'score', score, 'of 100'],
    ...DRILL_PARTS.map((part) => ['score', part, parts[part], 'of 1'] as const),
    ...Object.entries(traceBack).map(([item, value]) => ['traceBack', item, value, ''] as const),
    ...Object.entries(traceForward).map(([item, value]) => ['traceForward', item, value, ''] as const),
    ...Object.entries(massBalance).map(([item, value]) => ['massBalance', item, value, unitOf(item)] as const),
    ['recall', 'estimatedUnits', estimatedUnits, 'units'],
    ['kde', 'events', kde.events, ''],
    ['kde', 'complete', kde.complete, ''],
    ...kde.missing.flatMap(({ eventId, missing }) => missing.map((pointer) => ['kde missing', eventId, pointer, ''] as const)),
    ['custodians', 'total', custodians.total, ''],
    ...custodians.unreachable.map((address) => ['custodians', 'unreachable', address, ''] as const),
  ];
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

const unitOf = (item: string): string => (item.endsWith('Kg') ? 'kg' : item.endsWith('Percent') ? '%' : '');

function cell(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
