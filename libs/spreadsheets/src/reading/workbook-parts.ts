import { UnreadableFile } from '../table.js';
import { type NumberFormat, numberFormat } from './number-format.js';
import type { Package } from './open-package.js';
import { readXml } from './xml.js';

/** What a workbook says of its worksheets. */
export interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly path: string; readonly hidden: boolean }[];
  readonly date1904: boolean;
}

/** Of a list of worksheets or formats, which is in memory as a whole: bytes. */
const MOST_ABOUT = 16 * 1024 * 1024;
const MOST_SHEETS = 1_000;
/** Characters of a name and of a number format; spreadsheets write shorter ones. */
const LONGEST_ATTRIBUTE = 255;

export const damaged = (message: string): UnreadableFile => new UnreadableFile('file_damaged', message);

export async function readBook(files: Package): Promise<Workbook> {
  const targets = new Map<string, string>();
  await readXml(files.read('xl/_rels/workbook.xml.rels', MOST_ABOUT), {
    open(name, { Id, Target, TargetMode }) {
      if (name === 'Relationship' && Id !== undefined && Target !== undefined && TargetMode !== 'External') targets.set(Id, pathOf(Target));
    },
  });
  const sheets: { name: string; path: string; hidden: boolean }[] = [];
  let date1904 = false;
  await readXml(files.read('xl/workbook.xml', MOST_ABOUT), {
    open(name, attributes) {
      if (name === 'workbookPr') date1904 = attributes['date1904'] === '1' || attributes['date1904'] === 'true';
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      const path = id === undefined ? undefined : targets.get(id);
      if (name === 'sheet' && path?.startsWith('xl/worksheets/'))
        sheets.push({ name: nameIn(attributes), path, hidden: (attributes['state'] ?? 'visible') !== 'visible' });
      if (sheets.length > MOST_SHEETS) throw damaged(`The workbook has more than ${MOST_SHEETS} worksheets.`);
    },
  });
  return { sheets, date1904 };
}

function nameIn({ name = '' }: Readonly<Record<string, string>>): string {
  if (name.length > LONGEST_ATTRIBUTE) throw damaged(`The name of a worksheet has more than ${LONGEST_ATTRIBUTE} characters.`);
  return name;
}

/** A long one takes the square of its length to read. */
function codeIn({ formatCode = '' }: Readonly<Record<string, string>>): string {
  if (formatCode.length > LONGEST_ATTRIBUTE) throw damaged(`A number format has more than ${LONGEST_ATTRIBUTE} characters.`);
  return formatCode;
}

const pathOf = (target: string): string => (target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`);

export async function readFormats(files: Package): Promise<readonly NumberFormat[]> {
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  let inCells = false;
  await readXml(files.read('xl/styles.xml', MOST_ABOUT), {
    open(name, attributes) {
      if (name === 'numFmt') codes.set(Number(attributes['numFmtId']), codeIn(attributes));
      if (name === 'cellXfs') inCells = true;
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'xf' && inCells) formats.push(numberFormat(id, codes.get(id)));
    },
    close(name) {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return formats;
}
