import { showNumber, words } from '../state/format';

/** A bar chart that reads as a table: the length repeats what the number says. Widths are set by the DOM, for the page's policy. */
export function Bars({
  caption,
  unit,
  values,
  ordered = false,
  name: called = words,
  amountOf = (value) => `${showNumber(value)} ${unit}`.trim(),
}: {
  readonly caption: string;
  readonly unit: string;
  readonly values: Readonly<Record<string, number>>;
  /** As they were given, instead of the greatest first. */
  readonly ordered?: boolean;
  /** How a key is called. */
  readonly name?: (key: string) => string;
  readonly amountOf?: (value: number) => string;
}) {
  const rows = ordered ? Object.entries(values) : Object.entries(values).toSorted(([, a], [, b]) => b - a);
  const most = Math.max(...rows.map(([, value]) => Math.abs(value)), Number.EPSILON);
  return (
    <table class="bars">
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{called(name)}</th>
            <td>
              <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(Math.abs(value) / most) * 100} height="10" rx="1" />
              </svg>
            </td>
            <td class="number">{amountOf(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
