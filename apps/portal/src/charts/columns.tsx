import './charts.css';

export interface Series {
  readonly name: string;
  /** One for each label; null where it is not known. */
  readonly values: readonly (number | null)[];
}

const [HEIGHT, WIDTH, WIDEST] = [120, 400, 40];

/**
 * Columns over time, stacked where there are several series. The table that belongs to it says the same.
 * @param labels of the columns, the oldest first
 */
export function Columns({
  caption,
  labels,
  series,
  amountOf,
}: {
  readonly caption: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly amountOf: (value: number) => string;
}) {
  const sums = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const most = Math.max(...sums, Number.EPSILON);
  const room = WIDTH / Math.max(labels.length, 1);
  const broad = Math.min(room * 0.8, WIDEST);
  const label = `${caption}: ${labels.length > 0 ? `${labels[0]} – ${labels.at(-1)}` : ''}`;
  return (
    <figure class="columns">
      <figcaption>
        <strong>{caption}</strong>
        {series.length > 1 &&
          series.map(({ name }, at) => (
            <span key={name} class={`key key-${at}`}>
              {name}
            </span>
          ))}
        <span class="hint">{amountOf(most === Number.EPSILON ? 0 : most)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <path class="base" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {labels.map((name, at) => {
          let y = HEIGHT;
          return series.map(({ name: called, values }, index) => {
            const value = values[at] ?? 0;
            const height = (value / most) * (HEIGHT - 4);
            y -= height;
            return (
              <rect
                key={`${name} ${called}`}
                class={`series-${index}`}
                x={(at + 0.5) * room - broad / 2}
                y={y}
                width={broad}
                height={height}
              >
                <title>{`${name}, ${called}: ${amountOf(value)}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <p class="ends hint">
        <span>{labels[0]}</span>
        {labels.length > 1 && <span>{labels.at(-1)}</span>}
      </p>
    </figure>
  );
}
