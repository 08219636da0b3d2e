import type { Statement } from './exchange.js';

const MAX_STATEMENTS = 500;
const names = new Map<string, string>();
let made = 0;

/** A named statement is parsed and planned once a connection, not once a request. */
export function statementOf(text: string, values: readonly unknown[]): Statement {
  return { text, values, ...(values.length > 0 && nameOf(text)) };
}

/** For texts that never change, with or without parameters. */
export const fixedStatement = (text: string, values: readonly unknown[] = []): Statement => ({ text, values, ...nameOf(text) });

/** No name beyond the limit, for texts that are built dynamically: each connection keeps named ones. */
function nameOf(text: string): { readonly name: string } | null {
  const known = names.get(text);
  if (known !== undefined) return { name: known };
  if (names.size >= MAX_STATEMENTS) return null;
  const name = `trace_${++made}`;
  names.set(text, name);
  return { name };
}

/** After a migration at run time a named statement may return other columns than before: it needs a new name. */
export const forgetStatements = (): void => names.clear();
