/**
 * A text for a cell of a CSV file. One that a spreadsheet would run as a formula gets an apostrophe in front: `=`, `+`, `-` and `@` in both
 * widths, also behind blanks, and a leading tab or line break (OWASP, CSV Injection). So does one that looks as if it had one, so that
 * `textOfCell` gives every text back.
 */
export const spreadsheetText = (text: string): string => (GUARDED.test(text) ? `'${text}` : text);

/** The text that `spreadsheetText` made a cell of. */
export const textOfCell = (cell: string): string => (cell.startsWith("'") && GUARDED.test(cell.slice(1)) ? cell.slice(1) : cell);

const GUARDED = /^'*(?:\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/u;
