import { EnumField } from '#http';
import { SYMBOLS, type SymbolKind } from '../pages/symbols.page.js';

export class LabelQuery {
  @EnumField(SYMBOLS, {
    description:
      'Its code: `qr` with the Digital Link, 80 × 40 mm; `gs1-datamatrix` with the elements of the key, 80 × 40 mm; `gs1-128` with the same, 105 × 74 mm',
    optional: true,
    default: 'qr',
  })
  symbol: SymbolKind = 'qr';
}

export class LabelPdfQuery extends LabelQuery {
  @EnumField(['a4'], { description: 'An A4 sheet full of the label; without it a page of its size', optional: true })
  sheet?: 'a4';
}
