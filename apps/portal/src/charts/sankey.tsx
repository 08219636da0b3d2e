import './charts.css';
import { useMemo } from 'preact/hooks';
import { t } from '../state/language';
import { useNarrow } from '../state/narrow';
import { type Flow, type PlacedFlow, type PlacedNode, sankeyOf } from './sankey-layout';

const HEIGHT = 300;
const BAR = 12;
/** Room for names above and below. */
const ROOM = 16;

/**
 * Ribbons as wide as what flows. The table that belongs to it says the same.
 * @param nameOf of a key of a flow
 * @param amountOf of a value, with its unit
 */
export function Sankey({
  label,
  flows,
  nameOf,
  amountOf,
}: {
  readonly label: string;
  readonly flows: readonly Flow[];
  readonly nameOf: (key: string) => string;
  readonly amountOf: (value: number) => string;
}) {
  const narrow = useNarrow();
  const { nodes, flows: placed, columns } = useMemo(() => sankeyOf(flows, HEIGHT), [flows]);
  if (nodes.length === 0) return null;
  // A phone scrolls sideways: ribbons that nobody can tell apart say nothing.
  const across = narrow ? 150 : 210;
  const width = Math.max(1, columns - 1) * across + BAR + 150;
  const xOf = ({ column }: PlacedNode): number => column * across;
  return (
    <div class="scroll sankey" role="group" aria-label={t('{chart}: can be scrolled', { chart: label })} tabIndex={0}>
      <svg viewBox={`0 ${-ROOM} ${width} ${HEIGHT + 2 * ROOM}`} width={width} height={HEIGHT + 2 * ROOM} role="img" aria-label={label}>
        {placed.map((flow) => (
          <path key={`${flow.from}>${flow.to}`} class="ribbon" d={ribbonOf(flow, across)}>
            <title>{`${nameOf(flow.from)} → ${nameOf(flow.to)}: ${amountOf(flow.value)}`}</title>
          </path>
        ))}
        {nodes.map((node) => (
          <g key={node.key}>
            <rect class="node" x={xOf(node)} y={node.y} width={BAR} height={node.height} />
            <text x={xOf(node) + BAR + 4} y={node.y + node.height / 2 - 7}>
              {nameOf(node.key)}
            </text>
            <text class="amount" x={xOf(node) + BAR + 4} y={node.y + node.height / 2 + 8}>
              {amountOf(node.value)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Its edges from column to column: as wide everywhere, measured from top to bottom. */
function ribbonOf({ way, width }: PlacedFlow, across: number): string {
  const last = way.length - 1;
  const ends = way.map(({ column, y }, at) => ({
    // A ribbon that passes goes straight through the column.
    before: column * across,
    after: column * across + (at === last ? 0 : BAR),
    y,
  }));
  const edge = (points: typeof ends, by: number, back: boolean): string =>
    points
      .map(({ before, after, y }, at) => {
        const [enter, leave] = back ? [after, before] : [before, after];
        if (at === 0) return `${leave} ${y + by}`;
        const from = points[at - 1]!;
        const middle = ((back ? from.before : from.after) + enter) / 2;
        return `C${middle} ${from.y + by} ${middle} ${y + by} ${enter} ${y + by}L${at === points.length - 1 ? enter : leave} ${y + by}`;
      })
      .join('');
  return `M${edge(ends, -width / 2, false)}L${edge(ends.toReversed(), width / 2, true)}z`;
}
