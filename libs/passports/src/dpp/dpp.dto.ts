import {
  EnumField,
  IntegerField,
  NotModified,
  PreparesCall,
  ApiProblems,
  type ProblemForm,
  type Refusal,
  StringField,
  StringListField,
  WritesProblemsAs,
} from '#http';
import { PreparedEventView, type PreparedEvent, preparedEventView } from '#prepare';
import { HttpCode, applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import {
  grantExpired,
  grantForAnotherPassport,
  grantUnknown,
  grantUsed,
  grantWithdrawn,
  passportNotFound,
  productIdAmbiguous,
} from '../errors.js';
import { resultOf } from './dpp-result.js';
import { REPRESENTATIONS, type Representation } from './dpp-text.rules.js';

export class RepresentationQuery {
  @EnumField(REPRESENTATIONS, { description: 'Keys and values, or elements with types', optional: true, default: 'compressed' })
  representation: Representation = 'compressed';
}

export class DatedQuery extends RepresentationQuery {
  @StringField({ description: 'When: ISO 8601 with its offset', example: '2026-11-30T12:00:00Z', maxLength: 40 })
  date: string;
}

export class DppIdsQuery {
  @IntegerField({ description: 'Identifiers in one answer', min: 1, max: 1_000, optional: true, default: 100 })
  limit: number = 100;

  @StringField({ description: '`nextCursor` of the answer before; empty: from the first', optional: true, maxLength: 1_000 })
  cursor?: string;
}

export class ProductIdsBody {
  @StringListField({ description: 'GS1 Digital Links, or other identifiers of products', minItems: 1, maxItems: 100 })
  productIds: string[];
}

export class DppIdsView {
  @StringListField({ description: 'Passports of the products, each once, in the order of the products' })
  dppIds: string[];

  @StringField({ description: '`cursor` of the next answer; absent at the end', optional: true })
  nextCursor?: string;
}

/** What `CreateDPP` and the updates answer: the passport changes when the transaction is signed, sent and final. */
export class PreparedDppView extends PreparedEventView {
  @StringField({ description: 'Where the passport is found when it is issued: `GET /v1/dppsByProductId/{productId}`', nullable: true })
  uniqueProductIdentifier: string | null;
}

export const preparedDppView = (prepared: PreparedEvent, productId: string | null): PreparedDppView =>
  Object.assign(preparedEventView(prepared), { uniqueProductIdentifier: productId });

const text = { type: 'string' };
const DPP_SCHEMA = {
  type: 'object',
  required: [
    ...['digitalProductPassportId', 'uniqueProductIdentifier', 'granularity', 'dppSchemaVersion', 'dppStatus', 'lastUpdated'],
    'economicOperatorId',
  ],
  properties: {
    digitalProductPassportId: { ...text, description: '`urn:uuid:…`' },
    uniqueProductIdentifier: { ...text, description: 'Canonical GS1 Digital Link; the id of the passport where the product has none' },
    granularity: { ...text, enum: ['model', 'batch', 'item'] },
    dppSchemaVersion: text,
    dppStatus: { ...text, enum: ['active', 'inactive', 'archived', 'invalid'] },
    lastUpdated: { ...text, format: 'date-time' },
    economicOperatorId: text,
    facilityId: text,
    contentSpecificationIds: { type: 'array', items: text },
    elements: { type: 'array', items: { type: 'object', additionalProperties: true }, description: 'In full representation' },
  },
  additionalProperties: true,
};
const ELEMENT_SCHEMA = { description: 'The value, or with `representation=full` the element with its type and meaning' };

const RESULT_SCHEMA = {
  type: 'object',
  required: ['statusCode', 'message', 'code', 'status'],
  properties: {
    statusCode: { ...text, description: 'EN 18222 Table 15' },
    message: {
      type: 'array',
      items: {
        type: 'object',
        required: ['messageType', 'text', 'code', 'correlationId'],
        properties: { messageType: { ...text, enum: ['Error'] }, text, code: text, correlationId: text },
        additionalProperties: true,
      },
    },
    code: { ...text, description: 'Stable code. Use it to distinguish errors.' },
    status: { type: 'integer' },
  },
  additionalProperties: true,
};

/** Failures are result objects (EN 18222 Table 12). */
export const RESULT: ProblemForm = { type: 'application/json', schema: RESULT_SCHEMA, write: resultOf };

const json = (schema: object, description: string): MethodDecorator =>
  ApiResponse({ status: 200, description, content: { 'application/json': { schema } } });

/** A method of EN 18222 that reads. Decorators of a method are applied from the last to the first. */
export const ReadsDpp = (operationId: string, summary: string, ...refusals: readonly Refusal[]): MethodDecorator =>
  applyDecorators(
    WritesProblemsAs('en18222', RESULT),
    ApiProblems(passportNotFound, productIdAmbiguous, ...refusals),
    NotModified(),
    operationId === 'readDataElement' ? json(ELEMENT_SCHEMA, 'The data element') : json(DPP_SCHEMA, 'The passport (EN 18223)'),
    ApiOperation({ operationId, summary }),
  );

/** A method that opens more for the holder of a grant. */
export const TakesGrant = (): MethodDecorator =>
  applyDecorators(
    ApiProblems(grantUnknown, grantForAnotherPassport, grantWithdrawn, grantExpired, grantUsed),
    ApiHeader({ name: 'X-DPP-Grant', required: false, description: 'Token of a grant: the elements of its class are read, too' }),
  );

/** A method of EN 18222 that writes: 202 with a transaction to sign, which the standard has for updates that take their time. */
export const WritesDpp = (operationId: string, summary: string, schema: object, mergePatch: boolean): MethodDecorator =>
  applyDecorators(
    WritesProblemsAs('en18222', RESULT, { mergePatch }),
    PreparesCall(),
    HttpCode(202),
    ApiAcceptedResponse({ type: PreparedDppView, description: 'The transaction that writes it, to be signed and sent' }),
    ApiBody({ schema: schema as never, required: true }),
    ApiConsumes(...(mergePatch ? ['application/merge-patch+json'] : []), 'application/json'),
    ApiOperation({ operationId, summary }),
  );

/** In compressed representation; the member `event` has what recording needs apart from elements. */
export const WRITTEN_DPP = { type: 'object', additionalProperties: true };
export const WRITTEN_ELEMENT = { description: 'The value of the element in compressed representation' };
