import { Zip, ZipDeflate, strToU8 } from 'fflate';
import type { Line } from './report-csv.page.js';

type Value = Line[string];

/** A worksheet: its name and its columns, in order. */
export interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * An XLSX file (ISO/IEC 29500) whose first worksheet has every line, and whose others have those of one name each. The header stays in
 * view and has filters, so that every sheet can be sorted. It is compressed as it is written; nothing leaves it before its end.
 */
export class Workbook {
  private readonly pieces: Uint8Array[] = [];
  private readonly zip = new Zip((error, piece) => {
    if (error) throw error;
    this.pieces.push(piece);
  });
  private readonly sheets: WorksheetFile[];

  constructor(sheets: readonly Sheet[]) {
    const names = sheets.map(({ name }) => name);
    for (const [file, text] of parts(names)) this.file(file).push(strToU8(text), true);
    this.sheets = sheets.map((sheet, i) => new WorksheetFile(this.file(`xl/worksheets/sheet${i + 1}.xml`), sheet));
  }

  /** @param name of a further worksheet that has the line too */
  add(line: Line, name: string | null): void {
    this.sheets[0]!.add(line);
    if (name !== null)
      this.sheets
        .slice(1)
        .find((sheet) => sheet.name === name)
        ?.add(line);
  }

  end(): readonly Uint8Array[] {
    for (const sheet of this.sheets) sheet.end();
    this.zip.end();
    return this.pieces;
  }

  private file(name: string): ZipDeflate {
    const file = new ZipDeflate(name, { level: 6 });
    // The time of a file in an archive begins in 1980; the same rows make the same bytes.
    file.mtime = new Date(Date.UTC(1980, 0, 2));
    this.zip.add(file);
    return file;
  }
}

class WorksheetFile {
  readonly name: string;
  private readonly columns: readonly string[];
  private readonly letters: readonly string[];
  private rows = 0;

  constructor(
    private readonly file: ZipDeflate,
    { name, columns }: Sheet,
  ) {
    this.name = name;
    this.columns = columns;
    this.letters = columns.map((_, i) => lettersOf(i));
    const view = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
    this.push(`${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${view}</sheetView></sheetViews><sheetData>`);
    this.row(columns);
  }

  add(line: Line): void {
    this.row(this.columns.map((name) => line[name] ?? null));
  }

  end(): void {
    this.push(`</sheetData><autoFilter ref="A1:${this.letters.at(-1) ?? 'A'}${this.rows}"/></worksheet>`, true);
  }

  private row(values: readonly (Value | undefined)[]): void {
    this.rows++;
    this.push(
      `<row r="${this.rows}">${values.map((value, i) => cellXml(`${this.letters[i]!}${this.rows}`, value ?? null)).join('')}</row>`,
    );
  }

  private push(text: string, final = false): void {
    this.file.push(strToU8(text), final);
  }
}

/** An empty cell is left out. A text is never a formula here, whatever it begins with. */
function cellXml(place: string, value: Value | null): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : value.join('; ');
  return text === '' ? '' : `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

/** The most characters that a cell may have. */
const MOST_TEXT = 32_767;
/** Control characters but tab and line ends, the two that are no characters, and halves of surrogate pairs. */
const NOT_XML = /[^\P{Cc}\t\n\r\u007F-\u009F]|[\uFFFE\uFFFF]|\p{Cs}/gu;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };

const escaped = (text: string): string =>
  text
    .slice(0, MOST_TEXT)
    .replaceAll(NOT_XML, '\uFFFD')
    .replaceAll(/[&<>"\r]/g, (character) => ESCAPES[character]!);

function lettersOf(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : lettersOf(Math.floor(column / 26) - 1) + letter;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The files of the package other than the worksheets. */
function parts(names: readonly string[]): [file: string, text: string][] {
  const sheets = names.map((name, i) => `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join('');
  const types = names
    .map((_, i) => `<Override PartName="/xl/worksheets/sheet${i + 1}.xml" ContentType="${TYPES}.worksheet+xml"/>`)
    .join('');
  const targets = names
    .map((_, i) => `<Relationship Id="rId${i + 1}" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`)
    .join('');
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/>${types}</Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    ['xl/workbook.xml', `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${sheets}</sheets></workbook>`],
    ['xl/_rels/workbook.xml.rels', `${XML}<Relationships xmlns="${PACKAGE}/relationships">${targets}</Relationships>`],
  ];
}
