import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Observable, tap } from 'rxjs';
import { ANSWER_HEADERS } from '../problems/api-problems.js';

const LOCATION = 'trace:location';
type Address = (answer: never) => string;

/** Of a route that answers 201: the address of what it created. */
export const CreatedAt = <Answer>(address: (answer: Answer) => string): MethodDecorator =>
  applyDecorators(
    SetMetadata(LOCATION, address),
    UseInterceptors(LocateAnswer),
    ApiExtension(ANSWER_HEADERS, { '201': { Location: { description: 'Address of what was created', schema: { type: 'string' } } } }),
  );

export function setLocation(context: ExecutionContext, reply: FastifyReply, answer: unknown): void {
  const address = Reflect.getMetadata(LOCATION, context.getHandler()) as Address | undefined;
  if (address !== undefined) void reply.header('location', address(answer as never));
}

@Injectable()
class LocateAnswer implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(tap((answer) => setLocation(context, context.switchToHttp().getResponse<FastifyReply>(), answer)));
  }
}
