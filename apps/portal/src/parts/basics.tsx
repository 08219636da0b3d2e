import type { ComponentChildren } from 'preact';
import { href } from '../state/router';
import type { Loaded } from '../state/load';
import { words } from '../state/format';
import { Problem } from './problem';
import { t, translated } from '../state/language';

type Children = { readonly children?: ComponentChildren };

export const Link = ({
  to,
  children,
  ...rest
}: Children & { readonly to: string; readonly class?: string; readonly 'aria-current'?: 'page' | undefined }) => (
  <a href={href(to)} {...rest}>
    {children}
  </a>
);

export const LotLink = ({ id, children }: Children & { readonly id: number | string }) => <Link to={`/lots/${id}`}>{children}</Link>;

/** The state in words; its colour says nothing more. */
export const Status = ({ of }: { readonly of: string }) => <span class={`status status-${of}`}>{words(of)}</span>;

export function Section({ title, aside, children }: Children & { readonly title: string; readonly aside?: ComponentChildren }) {
  const id = `s-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** The three states of what is asked for: on its way, refused, there. */
export function Show<T>({ what, children }: { readonly what: Loaded<T>; readonly children: (data: T) => ComponentChildren }) {
  if (what.error) return <Problem of={what.error} again={what.again} />;
  if (what.data === null)
    return (
      <p class="waiting" role="status">
        {t('Loading …')}
      </p>
    );
  return <div aria-busy={what.busy}>{children(what.data)}</div>;
}

export const Empty = ({ children }: Children) => <p class="empty">{children}</p>;

export interface Column<T> {
  readonly name: string;
  readonly show: (row: T) => ComponentChildren;
  readonly number?: boolean;
}

/** On a phone each row becomes a card, each cell with its column's name. */
export function Table<T>({
  caption,
  rows,
  columns,
  keyOf,
}: {
  readonly caption: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string | number;
}) {
  return (
    <div class="scroll" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, number }) => (
              <th key={name} scope="col" class={number ? 'number' : undefined}>
                {translated(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, show, number }) => (
                <td key={name} data-name={translated(name)} class={number ? 'number' : undefined}>
                  <div>{show(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{translated(name)}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Field({
  label,
  hint,
  error,
  children,
}: Children & { readonly label: string; readonly hint?: string | undefined; readonly error?: string | undefined }) {
  return (
    <label class={error ? 'field wrong' : 'field'}>
      <span class="label">{label}</span>
      {children}
      {hint && <span class="hint">{hint}</span>}
      {error && <span class="error">{error}</span>}
    </label>
  );
}
