import { describe, expect, it } from '@jest/globals';
import { spreadsheetText, textOfCell } from './spreadsheet.js';

describe('a text in a spreadsheet', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '\u00a0=1', '＝1', '＋1', '－1', '＠x', '\tx', '\nx', '\rx', "'=1"])(
    'is no formula: %j',
    (text) => {
      expect(spreadsheetText(text)).toBe(`'${text}`);
      expect(textOfCell(spreadsheetText(text))).toBe(text);
    },
  );

  it.each(['', 'LOT-1', 'a=b', '1+1', "'x", "'", 'x\n=1'])('stays as it is: %j', (text) => {
    expect(spreadsheetText(text)).toBe(text);
    expect(textOfCell(text)).toBe(text);
  });
});
