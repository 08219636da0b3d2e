import './charts.css';
import type { JSX } from 'preact';

export interface StackedRow {
  readonly key: string;
  readonly name: string;
  readonly values: Readonly<Record<string, number>>;
}

/**
 * A table of amounts by kind, and a bar in each row whose parts are as long as they are.
 * @param kinds in the order of the parts; more than six have the colour of the last
 */
export function StackedBars({
  caption,
  kinds,
  nameOf,
  rows,
  amountOf,
}: {
  readonly caption: string;
  readonly kinds: readonly string[];
  readonly nameOf: (kind: string) => string;
  readonly rows: readonly StackedRow[];
  readonly amountOf: (value: number) => string;
}) {
  const sumOf = ({ values }: StackedRow): number => kinds.reduce((sum, kind) => sum + (values[kind] ?? 0), 0);
  const most = Math.max(...rows.map(sumOf), Number.EPSILON);
  return (
    <>
      <p class="legend">
        {kinds.map((kind, at) => (
          <span key={kind} class={`key key-${Math.min(at, 5)}`}>
            {nameOf(kind)}
          </span>
        ))}
      </p>
      <table class="bars stacked">
        <caption>{caption}</caption>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.name}</th>
              <td>
                <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  {
                    kinds.reduce<{ readonly x: number; readonly parts: JSX.Element[] }>(
                      ({ x, parts }, kind, at) => {
                        const width = ((row.values[kind] ?? 0) / most) * 100;
                        return {
                          x: x + width,
                          parts: [...parts, <rect key={kind} class={`series-${Math.min(at, 5)}`} x={x} width={width} height="10" />],
                        };
                      },
                      { x: 0, parts: [] },
                    ).parts
                  }
                </svg>
              </td>
              <td class="number">
                {kinds
                  .filter((kind) => (row.values[kind] ?? 0) > 0)
                  .map((kind) => `${nameOf(kind)} ${amountOf(row.values[kind]!)}`)
                  .join(', ') || '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
