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
import { type NumberFormat, numberCell } from './number-format.js';
import { Package } from './open-package.js';
import { NUL_CELL, tooManyColumns, tooManyRows } from './read-csv.js';
import { type Workbook, damaged, readBook, readFormats } from './workbook-parts.js';
import { type XmlHandler, XmlReader, readXml } from './xml.js';

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

const unknownSheet = (sheet: string | undefined, { sheets }: Workbook): UnreadableFile =>
  new UnreadableFile(
    'sheet_unknown',
    sheet === undefined
      ? 'The workbook has no worksheet that is shown.'
      : `The workbook has no worksheet “${sheet}”. It has ${sheets.map(({ name }) => `“${name}”`).join(', ')}.`,
  );

const MOST_TEXTS = 2_000_000;
/** Of all texts together; they are in memory as a whole. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Of a row, as in a table in text. */
const MOST_OF_ROW = 1024 * 1024;
/** Each is compared with each row. */
const MOST_MERGED = 10_000;
/** Spreadsheets have no more. */
const LAST_ROW = 1_048_576;

async function readSharedTexts(files: Package): Promise<readonly string[]> {
  const texts: string[] = [];
  let characters = 0;
  const text = new CellText();
  await readXml(files.read('xl/sharedStrings.xml'), {
    open: (name) => text.open(name),
    text: (part) => text.add(part),
    close(name) {
      text.close(name);
      if (name !== 'si') return;
      if (texts.length >= MOST_TEXTS) throw new UnreadableFile('zip_bomb', 'The workbook has more than two million texts.');
      const whole = text.taken();
      characters += whole.length;
      if (characters > MOST_CHARACTERS)
        throw new UnreadableFile('zip_bomb', 'The texts of the workbook have more than 64 million characters.');
      texts.push(whole);
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
    if (this.inText && !this.inPhonetic) this.parts = longer(this.parts, part);
  }

  taken(): string {
    const text = this.parts.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    this.parts = '';
    // A half of a surrogate pair has no place in JSON.
    return text.replaceAll(/\p{Cs}/gu, '\uFFFD');
  }
}

/** @throws UnreadableFile for a cell that is longer than a row may be */
function longer(text: string, part: string): string {
  if (text.length + part.length > MOST_OF_ROW) throw damaged('A cell of the workbook has more than a million characters.');
  return text + part;
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
  private characters = 0;
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
    if (this.inside === 'v') this.value = longer(this.value, part);
    else if (this.inside === 'f') this.formula = longer(this.formula ?? '', part);
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
    if (!Number.isInteger(row) || row <= this.row || row > LAST_ROW)
      throw damaged(`The rows of the worksheet are not in order after row ${this.row}.`);
    this.row = row;
    this.cells = [];
    this.characters = 0;
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
    this.characters += cell.text.length;
    if (this.characters > MOST_OF_ROW) throw damaged(`Row ${this.row} has more than a million characters.`);
    if (cell.text.includes('\0')) this.cells[this.column] = NUL_CELL;
    else this.cells[this.column] = cell.kind === 'text' ? { kind: 'text', text: cell.text.trim() } : cell;
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
    if (this.merged.length >= MOST_MERGED)
      throw new UnreadableFile('too_many_merged_cells', `The worksheet has more than ${MOST_MERGED.toLocaleString('en')} merged cells.`);
    if (from && to) this.merged.push({ ref, top: from.row, left: from.column, bottom: to.row, right: to.column });
  }
}
