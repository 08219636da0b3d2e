import { type OpenedTable, type ReadOptions, UnreadableFile } from '../table.js';
import { openCsv } from './read-csv.js';
import { isEdi, openShipNotice } from './read-ship-notice.js';
import { openXlsx } from './read-xlsx.js';

/** A table in a file, by its content: its name does not count. @throws UnreadableFile */
export async function openTable(bytes: Buffer, options: ReadOptions): Promise<OpenedTable> {
  if (bytes.length === 0) throw new UnreadableFile('file_empty', 'The file is empty.');
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004') return openXlsx(bytes, options);
  if (bytes.subarray(0, 8).toString('hex') === 'd0cf11e0a1b11ae1')
    throw new UnreadableFile(
      'file_encrypted',
      'The file is an XLS workbook of before 2007, or an encrypted one. Save it as XLSX without a password.',
    );
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-')
    throw new UnreadableFile('file_of_unknown_type', 'The file is a PDF, not a table.');
  if (isEdi(bytes)) return openShipNotice(bytes, options.maxRows);
  return openCsv(bytes, options);
}
