import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
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
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { isTokenId } from '#kernel';
import { TOKEN_ID_SENTENCE } from './requests/token-ids.js';
import { type FieldShape, rememberShape } from './requests/shape.js';

/**
 * One decorator per field of a request or answer: what is validated and what the OpenAPI document says come from the
 * same words. On answers only the description counts. `optional` means that the field may be left out (a null then reads
 * like a left-out one, unless the route looks); `nullable` that null is a value of it.
 */
interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  readonly default?: unknown;
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

/** Of a list: room for a place that holds a text of its own, such as a code of 64 characters that are four bytes each. */
export const CursorField = (): PropertyDecorator =>
  StringField({ description: '`nextCursor` of the page before; takes the place of `page`', optional: true, maxLength: 1_000 });

const bounds = (options: NumberOptions): PropertyDecorator[] => [
  ...(options.min === undefined ? [] : [Min(options.min)]),
  ...(options.max === undefined ? [] : [Max(options.max)]),
];

/** In a query its decimal text is read as the number. */
export const IntegerField = (options: NumberOptions): PropertyDecorator =>
  field(options, { type: 'integer', minimum: options.min, maximum: options.max }, [IsInt(), ...bounds(options)], { text: 'number' });

export const NumberField = (options: NumberOptions): PropertyDecorator =>
  field(
    options,
    { type: 'number', minimum: options.min, maximum: options.max },
    [IsNumber({ allowNaN: false, allowInfinity: false }), ...bounds(options)],
    { text: 'number' },
  );

/** In a query `true` and `false`. */
export const BooleanField = (options: FieldOptions): PropertyDecorator =>
  field(options, { type: 'boolean' }, [IsBoolean()], { text: 'boolean' });

export const EnumField = (values: readonly string[], options: FieldOptions): PropertyDecorator =>
  field(options, { type: 'string', enum: [...values] }, [IsIn(values)]);

/** A free-form JSON object, handed on exactly as it was parsed; an array or null is refused. */
export const JsonObjectField = (options: FieldOptions): PropertyDecorator =>
  field(options, { type: 'object', additionalProperties: true }, [IsObject()]);

/** A list of free-form values that the route reads one by one, so that a bad one does not spoil the others; `items` is for the document. */
export const JsonListField = (options: ListOptions & { readonly items: object }): PropertyDecorator =>
  field(options, { type: 'array', items: options.items, minItems: options.minItems, maxItems: options.maxItems }, list(options));

/** In a query one value is a list of one. */
export const StringListField = (options: ListOptions & { readonly each?: RegExp; readonly enum?: readonly string[] }): PropertyDecorator =>
  field(
    options,
    {
      type: 'array',
      items: {
        type: 'string',
        ...(options.each && { pattern: options.each.source }),
        ...(options.enum && { enum: [...options.enum] }),
      },
      minItems: options.minItems,
      maxItems: options.maxItems,
    },
    [
      ...list(options),
      IsString({ each: true }),
      ...(options.each ? [Matches(options.each, { each: true })] : []),
      ...(options.enum ? [IsIn(options.enum, { each: true })] : []),
    ],
    {
      text: 'list',
      item: (item) =>
        typeof item === 'string' && (options.each?.test(item) ?? true) && (options.enum === undefined || options.enum.includes(item)),
    },
  );

/** A nested object; `type` is its DTO class. */
export const ObjectField = (type: () => new () => object, options: FieldOptions): PropertyDecorator =>
  field(options, lazy(type), [IsObject(), ValidateNested()], { nested: type });

export const ObjectListField = (type: () => new () => object, options: ListOptions): PropertyDecorator =>
  field(
    options,
    { ...lazy(type), isArray: true, minItems: options.minItems, maxItems: options.maxItems },
    [...list(options), ValidateNested({ each: true })],
    { nested: type },
  );

/** @nestjs/swagger tells a lazy type from a class by the function's name, which must be `type`. */
const lazy = (nested: () => new () => object): { type: () => new () => object } => ({ type: () => nested() });

const TOKEN_ID_SCHEMA = {
  oneOf: [
    { type: 'integer', minimum: 1, maximum: 281_474_976_710_655 },
    { type: 'string', pattern: '^[1-9][0-9]{0,14}$' },
  ],
};

/** Token ids come as JSON integers or decimal strings (reliability-decisions §2.9); read them with `tokenIds` of this library. */
export const TokenIdListField = (options: ListOptions): PropertyDecorator =>
  field(
    options,
    { type: 'array', items: TOKEN_ID_SCHEMA, minItems: options.minItems, maxItems: options.maxItems },
    [...list(options), IsTokenId({ each: true })],
    { item: isTokenId },
  );

/** One token id; read it with `tokenId` of this library. */
export const TokenIdField = (options: FieldOptions): PropertyDecorator => field(options, TOKEN_ID_SCHEMA, [IsTokenId()]);

const IsTokenId = (options: ValidationOptions = {}): PropertyDecorator =>
  ValidateBy({ name: 'isTokenId', validator: { validate: isTokenId, defaultMessage: () => TOKEN_ID_SENTENCE } }, options);

const list = (options: ListOptions): PropertyDecorator[] => [
  IsArray(),
  ...(options.minItems === undefined ? [] : [ArrayMinSize(options.minItems)]),
  ...(options.maxItems === undefined ? [] : [ArrayMaxSize(options.maxItems)]),
];

function field(options: FieldOptions, schema: object, rules: readonly PropertyDecorator[], shape: FieldShape = {}): PropertyDecorator {
  const { description, example, optional = false, nullable = false } = options;
  const described = Object.fromEntries(
    Object.entries({ description, example, default: options.default, nullable: nullable || undefined, ...schema }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return applyDecorators(
    ApiProperty({ ...described, required: !optional }),
    rememberShape(shape),
    ...rules,
    ...(optional ? [IsOptional()] : nullable ? [ValidateIf((_, value) => value !== null)] : []),
  );
}
