import { Zip, ZipDeflate, strToU8 } from 'fflate';
import { type FaultyCell, type Line, lettersOf } from '../table.js';

type Value = Line[string];
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

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
  private readonly zip = new ZipPieces();
  private readonly sheets: WorksheetFile[];

  constructor(sheets: readonly Sheet[]) {
    for (const [file, text] of parts(sheets.map(({ name }) => name))) this.zip.file(file).push(strToU8(text), true);
    this.sheets = sheets.map((sheet, i) => new WorksheetFile(this.zip.file(`xl/worksheets/sheet${i + 1}.xml`), sheet));
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
    return this.zip.end();
  }
}

/** Of a worksheet, the header included. */
const MOST_ROWS = 1_048_576;

/** A workbook of any length as it is read: what does not fit into one worksheet is in the next. Cells may be marked as faults. */
export async function* workbookStream(
  { name, columns }: Sheet,
  pages: AsyncIterable<readonly Line[]> | Iterable<readonly Line[]>,
  mostRows = MOST_ROWS,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipPieces();
  const names: string[] = [];
  const nextSheet = (): WorksheetFile => {
    names.push(names.length === 0 ? name : `${name} ${names.length + 1}`);
    return new WorksheetFile(zip.file(`xl/worksheets/sheet${names.length}.xml`), { name, columns });
  };
  let sheet = nextSheet();
  for await (const lines of pages) {
    for (const line of lines) {
      if (sheet.rows >= mostRows) {
        sheet.end();
        sheet = nextSheet();
      }
      sheet.add(line);
    }
    yield* zip.taken();
  }
  sheet.end();
  for (const [file, text] of parts(names)) zip.file(file).push(strToU8(text), true);
  yield* zip.end();
}

/** Compressed as it is written. */
class ZipPieces {
  private pieces: Uint8Array[] = [];
  private readonly zip = new Zip((error, piece) => {
    if (error) throw error;
    this.pieces.push(piece);
  });

  file(name: string): ZipDeflate {
    const file = new ZipDeflate(name, { level: 6 });
    // The time of a file in an archive begins in 1980; the same rows make the same bytes.
    file.mtime = new Date(Date.UTC(1980, 0, 2));
    this.zip.add(file);
    return file;
  }

  taken(): readonly Uint8Array[] {
    const taken = this.pieces;
    this.pieces = [];
    return taken;
  }

  end(): readonly Uint8Array[] {
    this.zip.end();
    return this.taken();
  }
}

class WorksheetFile {
  readonly name: string;
  private readonly columns: readonly string[];
  private readonly letters: readonly string[];
  rows = 0;

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
const isFault = (value: NonNullable<Value>): value is FaultyCell => typeof value === 'object' && 'fault' in value;

function cellXml(place: string, value: Value | null): string {
  if (value === null || value === undefined) return '';
  if (isFault(value)) return cellXml(place, value.fault).replace(/^<c /, '<c s="1" ');
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

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Two formats of cells: the usual one, and the red ground of a fault. */
const STYLES =
  `${XML}<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FFFFC7CE"/></patternFill></fill></fills>' +
  '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/><xf numFmtId="0" fontId="0" fillId="2" borderId="0" applyFill="1"/></cellXfs></styleSheet>';

/** The files of the package other than the worksheets. */
function parts(names: readonly string[]): [file: string, text: string][] {
  const sheets = names.map((name, i) => `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join('');
  const types = names
    .map((_, i) => `<Override PartName="/xl/worksheets/sheet${i + 1}.xml" ContentType="${TYPES}.worksheet+xml"/>`)
    .join('');
  const targets = names
    .map((_, i) => `<Relationship Id="rId${i + 1}" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`)
    .concat(`<Relationship Id="rIdStyles" Type="${RELATIONSHIPS}/styles" Target="styles.xml"/>`)
    .join('');
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>${types}</Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    ['xl/workbook.xml', `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${sheets}</sheets></workbook>`],
    ['xl/_rels/workbook.xml.rels', `${XML}<Relationships xmlns="${PACKAGE}/relationships">${targets}</Relationships>`],
    ['xl/styles.xml', STYLES],
  ];
}
