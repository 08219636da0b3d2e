import 'reflect-metadata';
import { getMetadataStorage } from 'class-validator';

export type DtoClass = new () => object;

/** Metadata of a field decorator in addition to the rules of class-validator. */
export interface FieldShape {
  /** DTO class of a nested object or of each item of a list. */
  readonly nested?: () => DtoClass;
  /** Items of a list. */
  readonly maxItems?: number;
  /** How the text of a query parameter is parsed. */
  readonly text?: 'number' | 'boolean' | 'list';
  /** A free-form object of at most so many bytes, whose texts and numbers are checked. */
  readonly free?: number;
  /** Whether an item of a list is valid; used to find the index for the pointer. */
  readonly item?: (item: unknown) => boolean;
}

const SHAPE = 'trace:field-shape';

export const rememberShape =
  (shape: FieldShape): PropertyDecorator =>
  (target, property) =>
    Reflect.defineMetadata(SHAPE, shape, target, property);

/** Fields of a DTO class and its superclasses by name. Any other name is unknown. */
export function fieldsOf(type: DtoClass): ReadonlyMap<string, FieldShape> {
  let fields = known.get(type);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    fields = new Map(rules.map(({ propertyName }) => [propertyName, shapeOf(type, propertyName)]));
    known.set(type, fields);
  }
  return fields;
}

const known = new WeakMap<DtoClass, ReadonlyMap<string, FieldShape>>();
const shapeOf = (type: DtoClass, property: string): FieldShape =>
  (Reflect.getMetadata(SHAPE, type.prototype as object, property) as FieldShape | undefined) ?? {};
