import { malformedRequest } from '#http';
import { type Problem, gtin14, lotLinkFault } from '#kernel';

/** What a query says of the identity of a lot. */
interface AskedNames {
  readonly tlc?: string | undefined;
  readonly gtin?: string | undefined;
}

/**
 * A name that cannot be one finds nothing, so it is refused.
 * @returns the GTIN with 14 digits @throws DomainError 400 `malformed_request` for a wrong check digit, or a link that names no lot
 */
export function askedNames<Asked extends AskedNames>(asked: Asked): Asked {
  const gtin = asked.gtin === undefined ? undefined : gtin14(asked.gtin);
  const link = asked.tlc === undefined ? null : lotLinkFault(asked.tlc);
  const problems: Problem[] = [
    ...(gtin === null
      ? [{ pointer: '/gtin', code: 'wrong_check_digit', message: `The check digit of the GTIN ${asked.gtin} is wrong.` }]
      : []),
    ...(link ? [{ pointer: '/tlc', ...link }] : []),
  ];
  if (problems.length > 0) throw malformedRequest(problems);
  return gtin === undefined ? asked : { ...asked, gtin };
}
