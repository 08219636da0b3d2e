import { type Actor, Clock, type Problem, invalidContent, isObject } from '#kernel';
import { UnitOfWork, lockForChange } from '#persistence';
import { Injectable } from '@nestjs/common';
import { epcisQueryNameTaken, epcisQueryNotFound, epcisQuerySubscribed, tooManyEpcisQueries } from '../errors.js';
import { namespacesOf } from '../epcis/indexed-event.js';
import type { Json } from '../epcis/json.js';
import { type NamedQuery, NamedQueryQueries } from './named-queries.queries.js';
import { type Parameters, type SimpleQuery, readQuery } from './simple-query.js';

const MOST_QUERIES = 1_000;
/** Of its JSON: a list has a thousand of them. */
const MOST_BYTES = 32 * 1024;
const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** Queries that a tenant gave a name. */
@Injectable()
export class DefineQuery {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly queries: NamedQueryQueries,
  ) {}

  /** @throws DomainError 422 for what is no query, 409 `epcis_query_name_taken`, 422 `too_many_epcis_queries` */
  async define(actor: Actor, body: Json): Promise<NamedQuery> {
    const defined = { ...definitionIn(body), createdAt: this.clock.now() };
    await this.work.inTransaction(actor, async (tx) => {
      await lockForChange(tx, 'interchange.epcis_query');
      if ((await this.queries.count(tx)) >= MOST_QUERIES) throw tooManyEpcisQueries(MOST_QUERIES);
      if (!(await this.queries.insert(tx, defined, actor.id))) throw epcisQueryNameTaken(defined.name);
    });
    return defined;
  }

  /** @throws DomainError 404 `epcis_query_not_found` */
  async byName(actor: Actor, name: string): Promise<NamedQuery> {
    const found = await this.work.read(actor, (tx) => this.queries.byName(tx, name));
    if (!found) throw epcisQueryNotFound(name);
    return found;
  }

  /** @throws DomainError 404 `epcis_query_not_found`, 409 `epcis_query_subscribed` */
  async remove(actor: Actor, name: string): Promise<void> {
    const outcome = await this.work.inTransaction(actor, (tx) => this.queries.delete(tx, name));
    if (outcome === 'subscribed') throw epcisQuerySubscribed(name);
    if (outcome === 'unknown') throw epcisQueryNotFound(name);
  }
}

/** As it was read when it was defined. */
export const simpleQueryOf = ({ parameters, namespaces }: NamedQuery): SimpleQuery => readQuery(parameters, namespaces).query;

function definitionIn(body: Json): Omit<NamedQuery, 'createdAt'> {
  const name = body['name'];
  const given = body['query'];
  const problems: Problem[] = [];
  if (typeof name !== 'string' || !NAME.test(name))
    problems.push({ pointer: '/name', code: 'no_name', message: 'name has 1 to 100 letters, digits, dots, hyphens and underscores.' });
  if (!isObject(given))
    problems.push({ pointer: '/query', code: 'required', message: 'query is an object with the parameters of SimpleEventQuery.' });
  const parameters = isObject(given) ? parametersOf(given, problems) : {};
  const namespaces = namespacesOf(body['@context'], isObject(given) ? given['@context'] : undefined);
  problems.push(...readQuery(parameters, namespaces).problems.map((one) => ({ ...one, pointer: `/query${one.pointer}` })));
  if (Buffer.byteLength(JSON.stringify({ parameters, namespaces })) > MOST_BYTES)
    problems.push({
      pointer: '/query',
      code: 'too_large',
      message: `A query has at most ${MOST_BYTES / 1024} KiB of JSON, with the prefixes of its contexts.`,
    });
  if (problems.length > 0) throw invalidContent(problems);
  return { name: name as string, parameters, namespaces };
}

/** A value is a text, a number, a boolean, or a list of them. */
function parametersOf(given: Json, problems: Problem[]): Parameters {
  const entries = Object.entries(given).filter(([name]) => name !== '@context');
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const values = Array.isArray(value) ? (value as unknown[]) : [value];
      if (values.some((one) => !['string', 'number', 'boolean'].includes(typeof one)))
        problems.push({ pointer: `/query/${name}`, code: 'wrong_type', message: `${name} is a text, a number, or a list of them.` });
      return [name, values.map(String)];
    }),
  );
}
