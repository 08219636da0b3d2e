import 'reflect-metadata';
import { getMetadataStorage } from 'class-validator';

export type DtoClass = new () => object;

/** What a field decorator knows beyond the rules of class-validator. */
export interface FieldShape {
  /** DTO class of a nested object or of each item of a list. */
  readonly nested?: () => DtoClass;
  /** What a query's text is read as. */
  readonly text?: 'number' | 'boolean' | 'list';
  /** Whether one item of a list is right: finds the index to point at. */
  readonly item?: (item: unknown) => boolean;
}

const SHAPE = 'trace:field-shape';

export const rememberShape =
  (shape: FieldShape): PropertyDecorator =>
  (target, property) =>
    Reflect.defineMetadata(SHAPE, shape, target, property);

/** Fields of a DTO class by name, those of its superclasses included; a name that is absent here is unknown. */
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
