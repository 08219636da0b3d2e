export { feedParser } from './reading/feed-parser.js';
export { openTable } from './reading/open-table.js';
export { type XmlHandler, XmlReader, readXml } from './reading/xml.js';
export * from './table.js';
export { cellText, csvOf } from './writing/csv.js';
export { jsonLines } from './writing/json-lines.js';
export { TABLE_FORMATS, TABLE_TYPES, type TableFormat, type TableShape, tableStream } from './writing/table-stream.js';
export { XLSX, type Sheet, Workbook, workbookStream } from './writing/workbook.js';
