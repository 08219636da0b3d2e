/**
 * A text for a cell of a CSV file. One that a spreadsheet would run as a formula gets an apostrophe in front: `=`, `+`, `-` and `@` in both
 * widths, also behind blanks, and a leading tab or line break (OWASP, CSV Injection).
 */
export const spreadsheetText = (text: string): string => (/^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u.test(text) ? `'${text}` : text);
