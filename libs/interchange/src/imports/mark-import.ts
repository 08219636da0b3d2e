import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { CellValue, Line, SheetRow } from '#spreadsheets';
import { Injectable } from '@nestjs/common';
import type { RowProblem } from './event-of-row.js';
import type { ImportRecord } from './import-run.js';
import { ImportQueries, type ImportRow } from './imports.queries.js';
import { placesInXml } from '../xml/read-epcis-xml.js';
import { ReadImport, dataRows } from './read-import.js';

/** Rows with problems that are in memory at once. */
const AT_ONCE = 1_000;
const PROBLEMS = 'Problems';

export interface MarkedFile {
  readonly columns: readonly string[];
  readonly lines: AsyncGenerator<readonly Line[]>;
  /** Of the file: a spreadsheet that wrote it with `;` reads it so again. */
  readonly separator: string;
}

/** The file as it was sent, with a last column that says what is wrong in each row, and the cells to blame marked. */
@Injectable()
export class MarkImport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly imports: ImportQueries,
    private readonly reading: ReadImport,
  ) {}

  async marked(actor: Actor, record: ImportRecord): Promise<MarkedFile> {
    const table = await this.reading.open(actor, record);
    const { headers, rows } = await dataRows(table, record.mapping?.headerRow);
    // Columns by their letter: two may have the same header.
    const columns = headers.map(({ letter, header }) => `${letter}: ${header}`);
    const letters = headers.map(({ letter }) => letter);
    const places = headers.map(({ column }) => column);
    const problems = this.problems(actor, record.id);
    const lines = async function* (): AsyncGenerator<readonly Line[]> {
      for await (const some of rows) {
        const marked: Line[] = [];
        for (const row of some) marked.push(lineOf(row, columns, { letters, places }, await problems.of(row.row)));
        yield marked;
      }
    };
    return { columns: [...columns, PROBLEMS], lines: lines(), separator: table.separator ?? ',' };
  }

  /** EPCIS in XML with a comment before each event that has a problem. */
  async *markedXml(actor: Actor, record: ImportRecord): AsyncGenerator<string> {
    const bytes = await this.reading.bytes(actor, record);
    const text = new TextDecoder().decode(bytes);
    const places = await placesInXml(bytes);
    const problems = this.problems(actor, record.id);
    let done = 0;
    for (const [i, at] of places.entries()) {
      const found = await problems.of(i + 1);
      if (found.length === 0) continue;
      yield `${text.slice(done, at)}<!-- ${commentOf(`Event ${i + 1}: ${found.map(({ message }) => message).join(' ')}`)} -->`;
      done = at;
    }
    yield text.slice(done);
  }

  private problems(actor: Actor, id: string): { readonly of: (row: number) => Promise<readonly RowProblem[]> } {
    let read: readonly ImportRow[] = [];
    let [place, isEnd] = [0, false];
    return {
      of: async (row) => {
        while (!isEnd && (read.at(-1)?.row ?? 0) < row) {
          const after = read.at(-1)?.row ?? 0;
          read = await this.work.read(actor, (tx) => this.imports.problemsAfter(tx, id, after, AT_ONCE));
          [place, isEnd] = [0, read.length < AT_ONCE];
          if (read.length === 0) return [];
        }
        while (place < read.length && read[place]!.row < row) place++;
        return read[place]?.row === row ? read[place]!.problems : [];
      },
    };
  }
}

/** A comment has no two hyphens in a row, and no character that XML has not. */
// oxlint-disable-next-line no-control-regex
const commentOf = (text: string): string => text.replaceAll(/[\u0000-\u001f\ufffe\uffff]/g, ' ').replaceAll(/-(?=-)/g, '- ');

function lineOf(
  { cells }: SheetRow,
  columns: readonly string[],
  { letters, places }: { readonly letters: readonly string[]; readonly places: readonly number[] },
  problems: readonly RowProblem[],
): Line {
  const blamed = new Set(problems.map(({ column }) => column));
  const values = columns.map((name, i): [string, CellValue] => {
    const cell = cells[places[i]!];
    const value = cell?.text ?? null;
    return [name, blamed.has(letters[i]!) ? { fault: value ?? '' } : value];
  });
  return {
    ...Object.fromEntries(values),
    [PROBLEMS]: problems.map(({ column, message }) => (column === null ? message : `${column}: ${message}`)).join(' '),
  };
}
