import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { BodyRules } from '../requests/json-body.js';
import type { ProblemDetails } from './problem.js';

/** How a route writes its problems, where a standard asks for a form of its own. */
export interface ProblemForm {
  /** Media type, other than that of RFC 9457. */
  readonly type: string;
  /** JSON Schema of what is written. */
  readonly schema: object;
  /** Keeps the members of the problem, so that its `code` is where it always is. */
  readonly write: (problem: ProblemDetails) => object;
}

/** Rules of a route in the configuration of Fastify. */
export type RouteRules = Partial<BodyRules> & { readonly problems?: ProblemForm };

export const PROBLEM_FORM_EXTENSION = 'x-problem-form';
const forms = new Map<string, ProblemForm>();
export const problemFormNamed = (name: unknown): ProblemForm | undefined => forms.get(String(name));

/**
 * Problems of this route have another form. What fails before there is a route, like a path that is not UTF-8, is `application/problem+json`.
 * @param name of the form, the same wherever it is used @param rules of the body
 */
export function WritesProblemsAs(name: string, form: ProblemForm, rules: Partial<BodyRules> = {}): MethodDecorator {
  forms.set(name, form);
  return applyDecorators(RouteConfig({ ...rules, problems: form } satisfies RouteRules), ApiExtension(PROBLEM_FORM_EXTENSION, name));
}
