import { NumberField, StringField } from '#http';
import type { PartQuantity } from './part-quantity.rules.js';

export class PartQuantityBody implements PartQuantity {
  @NumberField({ description: 'How much, at most six decimals' })
  value: number;

  @StringField({ description: 'UNECE code of a unit that converts to the lot’s own', minLength: 2, maxLength: 3 })
  uom: string;
}
