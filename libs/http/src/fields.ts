import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';

/**
 * One decorator per field of a request or answer: what is validated and what the OpenAPI document says come from the
 * same words. On answers only the description counts.
 */
interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  readonly optional?: boolean;
  readonly nullable?: boolean;
}

interface TextOptions extends FieldOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  readonly format?: string;
}

interface NumberOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

interface ListOptions extends FieldOptions {
  readonly minItems?: number;
  readonly maxItems?: number;
}

export const StringField = (options: TextOptions): PropertyDecorator =>
  field(
    options,
    {
      type: 'string',
      minLength: options.minLength,
      maxLength: options.maxLength,
      pattern: options.pattern?.source,
      format: options.format,
    },
    [
      IsString(),
      ...(options.minLength === undefined ? [] : [MinLength(options.minLength)]),
      ...(options.maxLength === undefined ? [] : [MaxLength(options.maxLength)]),
      ...(options.pattern === undefined ? [] : [Matches(options.pattern)]),
    ],
  );

export const IntegerField = (options: NumberOptions): PropertyDecorator =>
  field(options, { type: 'integer', minimum: options.min, maximum: options.max }, [
    IsInt(),
    ...(options.min === undefined ? [] : [Min(options.min)]),
    ...(options.max === undefined ? [] : [Max(options.max)]),
  ]);

export const NumberField = (options: NumberOptions): PropertyDecorator =>
  field(options, { type: 'number', minimum: options.min, maximum: options.max }, [IsNumber({ allowNaN: false, allowInfinity: false })]);

export const BooleanField = (options: FieldOptions): PropertyDecorator => field(options, { type: 'boolean' }, [IsBoolean()]);

export const EnumField = (values: readonly string[], options: FieldOptions): PropertyDecorator =>
  field(options, { type: 'string', enum: [...values] }, [IsIn(values)]);

/** A free-form JSON object; an array or null is refused. */
export const JsonObjectField = (options: FieldOptions): PropertyDecorator =>
  field(options, { type: 'object', additionalProperties: true }, [IsObject()]);

export const StringListField = (options: ListOptions & { readonly each?: RegExp; readonly enum?: readonly string[] }): PropertyDecorator =>
  field(
    options,
    {
      type: 'array',
      items: { type: 'string', ...(options.enum && { enum: [...options.enum] }) },
      minItems: options.minItems,
      maxItems: options.maxItems,
    },
    [
      ...list(options),
      IsString({ each: true }),
      ...(options.each ? [Matches(options.each, { each: true })] : []),
      ...(options.enum ? [IsIn(options.enum, { each: true })] : []),
    ],
  );

/** A nested object; `type` is its DTO class. */
export const ObjectField = (type: () => new () => object, options: FieldOptions): PropertyDecorator =>
  field(options, { type }, [IsObject(), ValidateNested(), Type(type)]);

export const ObjectListField = (type: () => new () => object, options: ListOptions): PropertyDecorator =>
  field(options, { type, isArray: true, minItems: options.minItems, maxItems: options.maxItems }, [
    ...list(options),
    ValidateNested({ each: true }),
    Type(type),
  ]);

/** Token ids come as JSON integers or decimal strings (reliability-decisions §2.9); read them with `tokenIds` / `tokenId` of this library. */
export const TokenIdListField = (options: ListOptions): PropertyDecorator =>
  field(options, { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: options.minItems, maxItems: options.maxItems }, [
    ...list(options),
    Matches(TOKEN_ID, { each: true, message: 'each must be a token id: an integer from 1, or its decimal string' }),
  ]);

const TOKEN_ID = /^[1-9]\d{0,14}$/;

const list = (options: ListOptions): PropertyDecorator[] => [
  IsArray(),
  ...(options.minItems === undefined ? [] : [ArrayMinSize(options.minItems)]),
  ...(options.maxItems === undefined ? [] : [ArrayMaxSize(options.maxItems)]),
];

function field(options: FieldOptions, schema: object, rules: readonly PropertyDecorator[]): PropertyDecorator {
  const { description, example, optional = false, nullable = false } = options;
  const described = Object.fromEntries(
    Object.entries({ description, example, nullable: nullable || undefined, ...schema }).filter(([, value]) => value !== undefined),
  );
  return applyDecorators(
    ApiProperty({ ...described, required: !optional }),
    ...rules,
    ...(optional ? [IsOptional()] : []),
  );
}
