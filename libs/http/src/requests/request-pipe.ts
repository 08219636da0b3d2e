import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { malformedRequest, nulCharacter } from '../errors/refusals.js';
import { isPlainObject, readBody, readQuery } from './read-dto.js';
import type { DtoClass } from './shape.js';

const PLAIN_TYPES: readonly unknown[] = [undefined, Object, String, Number, Boolean, Array];

/**
 * The global validation: bodies become DTOs or a 400 that names every field, queries are read from their text.
 * A body that is declared as an object without a DTO class is only asked to be one.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    if (type === 'custom') return value;
    if (data !== undefined) return single(data, value);
    const dto = PLAIN_TYPES.includes(metatype) ? null : (metatype as DtoClass);
    if (type === 'body') return dto || metatype === Object ? this.body(dto, value) : value;
    if (!dto) return value;
    return checked(readQuery(dto, value as Readonly<Record<string, unknown>>));
  }

  private body(dto: DtoClass | null, value: unknown): unknown {
    const body = value === undefined && dto ? {} : value;
    if (!isPlainObject(body)) throw malformedRequest([{ pointer: '', code: 'wrong_type', message: 'The body must be a JSON object.' }]);
    return dto ? checked(readBody(dto, body)) : body;
  }
}

function single(name: string, value: unknown): unknown {
  if (typeof value === 'string' && value.includes('\0')) throw malformedRequest([nulCharacter(`/${name}`)]);
  return value;
}

function checked({ dto, problems }: ReturnType<typeof readBody>): object {
  if (problems.length > 0) throw malformedRequest(problems);
  return dto;
}
