import {
  type Cell,
  MAX_COLUMNS,
  type MergedCells,
  type OpenedTable,
  type ReadOptions,
  type SheetRow,
  UnreadableFile,
  placeOfRef,
} from '../table.js';
import { type NumberFormat, numberCell, numberFormat } from './number-format.js';
import { Package } from './open-package.js';
import { tooManyColumns, tooManyRows } from './read-csv.js';
import { type XmlHandler, XmlReader, readXml } from './xml.js';

interface WorkbookParts {
  readonly sheets: readonly { readonly name: string; readonly path: string; readonly hidden: boolean }[];
  readonly date1904: boolean;
}

/** An XLSX workbook (ISO/IEC 29500). @throws UnreadableFile */
export async function openXlsx(bytes: Buffer, { sheet, maxRows }: ReadOptions): Promise<OpenedTable> {
  const files = await Package.open(bytes);
  if (files.names.some((name) => /(^|\/)vbaProject\.bin$/i.test(name) || name.startsWith('xl/macrosheets/')))
    throw new UnreadableFile('macros', 'The workbook has macros. Save it as an XLSX file without them.');
  const book = await readBook(files);
  const chosen = sheet === undefined ? book.sheets.find(({ hidden }) => !hidden) : book.sheets.find(({ name }) => name === sheet);
  if (!chosen) throw unknownSheet(sheet, book);
  const texts = files.has('xl/sharedStrings.xml') ? await readSharedTexts(files) : [];
  const formats = files.has('xl/styles.xml') ? await readFormats(files) : [];
  const reading = { texts, formats, date1904: book.date1904, maxRows };
  let merged: readonly MergedCells[] = [];
  const names = book.sheets.map(({ name }) => name);
  return {
    format: 'xlsx',
    sheets: names,
    remarks: names.length > 1 ? [`The workbook has ${names.length} worksheets. Read was “${chosen.name}”.`] : [],
    separator: null,
    async *rows() {
      const worksheet = new Worksheet(reading);
      const xml = new XmlReader(worksheet);
      for await (const part of files.read(chosen.path)) {
        xml.write(part);
        const rows = worksheet.taken();
        if (rows.length > 0) yield rows;
      }
      xml.end();
      const rest = worksheet.taken();
      if (rest.length > 0) yield rest;
      merged = worksheet.merged;
    },
    merged: () => merged,
  };
}

const unknownSheet = (sheet: string | undefined, { sheets }: WorkbookParts): UnreadableFile =>
  new UnreadableFile(
    'sheet_unknown',
    sheet === undefined
      ? 'The workbook has no worksheet that is shown.'
      : `The workbook has no worksheet “${sheet}”. It has ${sheets.map(({ name }) => `“${name}”`).join(', ')}.`,
  );

async function readBook(files: Package): Promise<WorkbookParts> {
  const targets = new Map<string, string>();
  await readXml(files.read('xl/_rels/workbook.xml.rels'), {
    open(name, { Id, Target, TargetMode }) {
      if (name === 'Relationship' && Id !== undefined && Target !== undefined && TargetMode !== 'External') targets.set(Id, pathOf(Target));
    },
  });
  const sheets: { name: string; path: string; hidden: boolean }[] = [];
  let date1904 = false;
  await readXml(files.read('xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'workbookPr') date1904 = attributes['date1904'] === '1' || attributes['date1904'] === 'true';
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      const path = id === undefined ? undefined : targets.get(id);
      if (name === 'sheet' && path?.startsWith('xl/worksheets/'))
        sheets.push({ name: attributes['name'] ?? '', path, hidden: (attributes['state'] ?? 'visible') !== 'visible' });
    },
  });
  return { sheets, date1904 };
}

const pathOf = (target: string): string => (target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`);

const MOST_TEXTS = 2_000_000;

async function readSharedTexts(files: Package): Promise<readonly string[]> {
  const texts: string[] = [];
  const text = new CellText();
  await readXml(files.read('xl/sharedStrings.xml'), {
    open: (name) => text.open(name),
    text: (part) => text.add(part),
    close(name) {
      text.close(name);
      if (name !== 'si') return;
      if (texts.length >= MOST_TEXTS) throw new UnreadableFile('zip_bomb', 'The workbook has more than two million texts.');
      texts.push(text.taken());
    },
  });
  return texts;
}

/** The text of a cell, of one piece or of several with their own fonts, without its pronunciation. */
class CellText {
  private parts = '';
  private inText = false;
  private inPhonetic = false;

  open(name: string): void {
    if (name === 't') this.inText = true;
    if (name === 'rPh') this.inPhonetic = true;
  }

  close(name: string): void {
    if (name === 't') this.inText = false;
    if (name === 'rPh') this.inPhonetic = false;
  }

  add(part: string): void {
    if (this.inText && !this.inPhonetic) this.parts += part;
  }

  taken(): string {
    const text = this.parts.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    this.parts = '';
    // A half of a surrogate pair has no place in JSON.
    return text.replaceAll(/\p{Cs}/gu, '\uFFFD');
  }
}

async function readFormats(files: Package): Promise<readonly NumberFormat[]> {
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  let inCells = false;
  await readXml(files.read('xl/styles.xml'), {
    open(name, attributes) {
      if (name === 'numFmt') codes.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '');
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

interface SheetReading {
  readonly texts: readonly string[];
  readonly formats: readonly NumberFormat[];
  readonly date1904: boolean;
  readonly maxRows: number;
}

const PLAIN: NumberFormat = { kind: 'plain' };

/** Collects the rows of a worksheet while its XML is read. */
class Worksheet implements XmlHandler {
  readonly merged: MergedCells[] = [];
  private rows: SheetRow[] = [];
  private found = 0;
  private row = 0;
  private cells: (Cell | null)[] = [];
  private column = -1;
  private type = 'n';
  private style = 0;
  private value = '';
  private formula: string | null = null;
  private inside: 'v' | 'f' | null = null;
  private readonly inline = new CellText();

  constructor(private readonly reading: SheetReading) {}

  taken(): readonly SheetRow[] {
    const rows = this.rows;
    this.rows = [];
    return rows;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'c') this.openCell(attributes);
    else if (name === 'v' || name === 'f') this.openValue(name);
    else if (name === 'row') this.openRow(attributes);
    else if (name === 'mergeCell') this.addMerged(attributes['ref'] ?? '');
    else this.inline.open(name);
  }

  text(part: string): void {
    if (this.inside === 'v') this.value += part;
    else if (this.inside === 'f') this.formula = (this.formula ?? '') + part;
    else this.inline.add(part);
  }

  close(name: string): void {
    if (name === 'v' || name === 'f') this.inside = null;
    else if (name === 'c') this.closeCell();
    else if (name === 'row') this.closeRow();
    else this.inline.close(name);
  }

  private openRow({ r }: Readonly<Record<string, string>>): void {
    const row = r === undefined ? this.row + 1 : Number(r);
    if (!Number.isInteger(row) || row <= this.row)
      throw new UnreadableFile('file_damaged', `The rows of the worksheet are not in order after row ${this.row}.`);
    this.row = row;
    this.cells = [];
    this.column = -1;
  }

  private openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    this.column = r === undefined ? this.column + 1 : (placeOfRef(r)?.column ?? MAX_COLUMNS);
    this.type = t;
    this.style = Number(s);
    this.value = '';
    this.formula = null;
  }

  private openValue(name: 'v' | 'f'): void {
    this.inside = name;
    if (name === 'f') this.formula ??= '';
  }

  private closeCell(): void {
    const inline = this.inline.taken();
    const cell = this.formula === null ? this.cellOf(inline) : { kind: 'formula' as const, text: `=${this.formula}` };
    if (cell === null || (cell.kind === 'text' && cell.text.trim() === '')) return;
    if (this.column >= MAX_COLUMNS) throw tooManyColumns(this.row);
    this.cells[this.column] = cell.kind === 'text' ? { kind: 'text', text: cell.text.trim() } : cell;
  }

  private cellOf(inline: string): Cell | null {
    const { texts, formats, date1904 } = this.reading;
    if (this.type === 'inlineStr') return { kind: 'text', text: inline };
    if (this.value === '') return null;
    switch (this.type) {
      case 's': {
        const text = texts[Number(this.value)];
        return text === undefined ? { kind: 'fault', text: 'the text of the cell is missing in the file' } : { kind: 'text', text };
      }
      case 'str':
        return { kind: 'text', text: this.value };
      case 'b':
        return { kind: 'boolean', text: this.value === '1' ? 'true' : 'false' };
      case 'e':
        return { kind: 'fault', text: `the cell has the error ${this.value.slice(0, 40)}` };
      case 'd':
        return { kind: 'date', text: this.value };
      default:
        return numberCell(this.value, formats[this.style] ?? PLAIN, date1904);
    }
  }

  private closeRow(): void {
    if (this.cells.length === 0) return;
    if (++this.found > this.reading.maxRows) throw tooManyRows(this.reading.maxRows);
    this.rows.push({ row: this.row, cells: this.cells });
  }

  private addMerged(ref: string): void {
    const [from, to] = ref.split(':').map(placeOfRef);
    if (from && to) this.merged.push({ ref, top: from.row, left: from.column, bottom: to.row, right: to.column });
  }
}
