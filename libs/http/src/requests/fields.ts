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
import { UploadedFile } from './multipart-body.js';
import { TOKEN_ID_SENTENCE } from './values.js';
import { type FieldShape, rememberShape } from './shape.js';

/**
 * One decorator per field of a request or response defines both its validation and its OpenAPI schema. On responses only the description is
 * used. `optional`: the field may be absent. `nullable`: null is a valid value. Any other null is refused here, or with `nullByRoute` by the
 * route, which has a code of its own for it.
 */
interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly nullByRoute?: boolean;
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

/** The cursor of a list. Long enough for a position that contains a text, such as a code of 64 characters of four bytes each. */
export const CursorField = (): PropertyDecorator =>
  StringField({ description: '`nextCursor` of the previous page; replaces `page`', optional: true, maxLength: 1_000 });

const bounds = (options: Pick<NumberOptions, 'min' | 'max'>): PropertyDecorator[] => [
  ...(options.min === undefined ? [] : [Min(options.min)]),
  ...(options.max === undefined ? [] : [Max(options.max)]),
];

/** In a query, its decimal text is parsed. An integer beyond 2^53 would be rounded, so it is refused. */
export const IntegerField = (options: NumberOptions): PropertyDecorator =>
  field(
    options,
    { type: 'integer', minimum: options.min, maximum: options.max },
    [IsInt(), ...bounds({ ...options, max: options.max ?? Number.MAX_SAFE_INTEGER, min: options.min ?? Number.MIN_SAFE_INTEGER })],
    { text: 'number' },
  );

export const NumberField = (options: NumberOptions): PropertyDecorator =>
  field(
    options,
    { type: 'number', minimum: options.min, maximum: options.max },
    [IsNumber({ allowNaN: false, allowInfinity: false }), ...bounds(options)],
    { text: 'number' },
  );

/** In a query: `true` or `false`. */
export const BooleanField = (options: FieldOptions): PropertyDecorator =>
  field(options, { type: 'boolean' }, [IsBoolean()], { text: 'boolean' });

export const EnumField = (values: readonly string[], options: FieldOptions): PropertyDecorator =>
  field(options, { type: 'string', enum: [...values] }, [IsIn(values)]);

interface JsonObjectOptions extends FieldOptions {
  /** Of its JSON text in UTF-8; 16 KiB by default. */
  readonly maxBytes?: number;
  /** The route checks its texts, numbers and size: content that is hashed has codes of its own. */
  readonly checkedByRoute?: boolean;
}

const MAX_OBJECT = 16 * 1024;

/**
 * A free-form JSON object, passed on unchanged; an array or null is refused. So is what PostgreSQL or another reader of the JSON would
 * change or refuse: U+0000, half a surrogate pair, a number that JavaScript cannot represent.
 */
export const JsonObjectField = ({ maxBytes = MAX_OBJECT, checkedByRoute = false, ...options }: JsonObjectOptions): PropertyDecorator =>
  field(options, { type: 'object', additionalProperties: true }, [IsObject()], checkedByRoute ? {} : { free: maxBytes });

/** A list of free-form values that the route validates one by one, so that an invalid one does not affect the others; `items` is their schema. */
export const JsonListField = (options: ListOptions & { readonly items: object }): PropertyDecorator =>
  field(
    options,
    { type: 'array', items: options.items, minItems: options.minItems, maxItems: options.maxItems },
    list(options),
    most(options),
  );

/** In a query, a single value is a list with one item. */
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
      ...most(options),
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
    { nested: type, ...most(options) },
  );

/** @nestjs/swagger recognises a lazy type by the function's name, which must be `type`. */
const lazy = (nested: () => new () => object): { type: () => new () => object } => ({ type: () => nested() });

const TOKEN_ID_SCHEMA = {
  oneOf: [
    { type: 'integer', minimum: 1, maximum: 281_474_976_710_655 },
    { type: 'string', pattern: '^[1-9][0-9]{0,14}$' },
  ],
};

/** A file of a body with `multipart/form-data`, of at most `maxBytes` and not empty. */
export const FileField = ({ maxBytes, ...options }: FieldOptions & { readonly maxBytes: number }): PropertyDecorator =>
  field(options, { type: 'string', format: 'binary' }, [
    ValidateBy({
      name: 'isFile',
      validator: {
        validate: (value) => value instanceof UploadedFile && value.bytes.length > 0 && value.bytes.length <= maxBytes,
        defaultMessage: () => `This must be a file with 1 to ${maxBytes.toLocaleString('en')} bytes.`,
      },
    }),
  ]);

/** Token ids are JSON integers or decimal strings (docs/spec/reliability.md#chain); read them with `tokenIds`. */
export const TokenIdListField = (options: ListOptions): PropertyDecorator =>
  field(
    options,
    { type: 'array', items: TOKEN_ID_SCHEMA, minItems: options.minItems, maxItems: options.maxItems },
    [...list(options), IsTokenId({ each: true })],
    { ...most(options), item: isTokenId },
  );

/** One token id; read it with `tokenId`. */
export const TokenIdField = (options: FieldOptions): PropertyDecorator => field(options, TOKEN_ID_SCHEMA, [IsTokenId()]);

const IsTokenId = (options: ValidationOptions = {}): PropertyDecorator =>
  ValidateBy({ name: 'isTokenId', validator: { validate: isTokenId, defaultMessage: () => TOKEN_ID_SENTENCE } }, options);

const most = ({ maxItems }: ListOptions): FieldShape => (maxItems === undefined ? {} : { maxItems });

const list = (options: ListOptions): PropertyDecorator[] => [
  IsArray(),
  ...(options.minItems === undefined ? [] : [ArrayMinSize(options.minItems)]),
  ...(options.maxItems === undefined ? [] : [ArrayMaxSize(options.maxItems)]),
];

function field(options: FieldOptions, schema: object, rules: readonly PropertyDecorator[], shape: FieldShape = {}): PropertyDecorator {
  const { description, example, optional = false, nullable = false, nullByRoute = false } = options;
  const described = Object.fromEntries(
    Object.entries({ description, example, default: options.default, nullable: nullable || undefined, ...schema }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return applyDecorators(
    ApiProperty({ ...described, required: !optional }),
    rememberShape(shape),
    ...rules,
    ...(optional || nullable
      ? [ValidateIf((_, value) => !(value === undefined ? optional : value === null && (nullable || nullByRoute)))]
      : []),
  );
}
