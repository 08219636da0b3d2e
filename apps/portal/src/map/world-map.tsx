import './map.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { t } from '../state/language';
import { linesOf } from './geojson';
import { type Point, type Position, type Size, type View, clustered, moved, pointOf, seenAt, viewOf, zoomed } from './mercator';
import { useGestures } from './gestures';
import { WORLD_UNITS, pathOf, useWorld } from './world';

export interface Mark {
  readonly id: string;
  /** What is written on it: the number that the list below has. */
  readonly number: number;
  readonly name: string;
  readonly at: Position;
  /** `holder`: has goods now. */
  readonly kind: 'site' | 'plot' | 'place' | 'holder';
  /** Whether that is the place itself, and not the middle of its country. */
  readonly exact: boolean;
  /** GeoJSON of a plot. */
  readonly geometry?: unknown;
}

export interface Move {
  readonly from: string;
  readonly to: string;
}

const ARROW_PX = 60;
const APART = 22;

/**
 * A map of places and of the way between them. Drag, pinch, buttons and keys move it; the list that belongs to it says the same.
 * @param chosen the mark that is shown larger, in the middle
 */
export function WorldMap({
  label,
  marks,
  moves = [],
  chosen = null,
}: {
  readonly label: string;
  readonly marks: readonly Mark[];
  readonly moves?: readonly Move[];
  readonly chosen?: string | null;
}) {
  const frame = useRef<SVGSVGElement>(null);
  const size = useSize(frame);
  const world = useWorld();
  const points = useMemo(() => new Map(marks.map(({ id, at }) => [id, pointOf(at)])), [marks]);
  /** Null until somebody moves it: then all is shown, at every size. */
  const [own, setOwn] = useState<View | null>(null);
  const view = own ?? viewOf([...points.values()], size);
  useEffect(() => {
    const at = chosen === null ? undefined : points.get(chosen);
    if (at) setOwn((now) => ({ ...at, scale: Math.max((now ?? view).scale, 3_000) }));
  }, [chosen]);
  // The same while the map moves.
  const land = useMemo(
    () =>
      world && (
        <g class="land">
          {world.paths.map((d, at) => (
            <path key={at} d={d} />
          ))}
        </g>
      ),
    [world],
  );
  const plots = useMemo(() => marks.map(({ id, geometry }) => geometry !== undefined && <Plot key={id} geometry={geometry} />), [marks]);
  const gestures = useGestures(frame, view, setOwn);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = NEXT_BY_KEY[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setOwn(next(view));
  };
  return (
    <div class="world">
      <svg
        ref={frame}
        role="application"
        tabindex={0}
        aria-label={`${label}. ${t('Arrow keys move the map, plus and minus zoom; the list below says the same.')}`}
        onKeyDown={onKeyDown}
        {...gestures}
      >
        <g transform={transformOf(view, size)}>
          {land}
          {plots}
        </g>
        <Moves moves={moves} points={points} view={view} size={size} />
        <Marks
          marks={marks}
          points={points}
          view={view}
          size={size}
          chosen={chosen}
          onOpen={(at) => setOwn(zoomed({ ...view, ...at }, 2.5))}
        />
      </svg>
      <div class="zoom">
        <button type="button" aria-label={t('Zoom in on the map')} onClick={() => setOwn(zoomed(view, 1.6))}>
          +
        </button>
        <button type="button" aria-label={t('Zoom out of the map')} onClick={() => setOwn(zoomed(view, 1 / 1.6))}>
          −
        </button>
        <button type="button" onClick={() => setOwn(null)}>
          {t('Whole map')}
        </button>
      </div>
    </div>
  );
}

const NEXT_BY_KEY: Readonly<Record<string, (view: View) => View | null>> = {
  ArrowLeft: (view) => moved(view, { x: -ARROW_PX, y: 0 }),
  ArrowRight: (view) => moved(view, { x: ARROW_PX, y: 0 }),
  ArrowUp: (view) => moved(view, { x: 0, y: -ARROW_PX }),
  ArrowDown: (view) => moved(view, { x: 0, y: ARROW_PX }),
  '+': (view) => zoomed(view, 1.6),
  '-': (view) => zoomed(view, 1 / 1.6),
  '0': () => null,
};

function useSize(frame: { readonly current: SVGSVGElement | null }): Size {
  const [size, setSize] = useState<Size>({ width: 800, height: 384 });
  useEffect(() => {
    const element = frame.current!;
    const observer = new ResizeObserver(() => {
      if (element.isConnected) setSize({ width: element.clientWidth, height: element.clientHeight });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}

const transformOf = (view: View, size: Size): string => {
  const { x, y } = seenAt({ x: 0, y: 0 }, view, size);
  return `translate(${x} ${y}) scale(${view.scale / WORLD_UNITS})`;
};

const Plot = ({ geometry }: { readonly geometry: unknown }) => <path class="plot-area" d={linesOf(geometry).map(pathOf).join('')} />;

interface Frame {
  readonly points: ReadonlyMap<string, Point>;
  readonly view: View;
  readonly size: Size;
}

/** Lines with an arrow in their middle. */
function Moves({ moves, points, view, size }: Frame & { readonly moves: readonly Move[] }) {
  return (
    <g class="moves" aria-hidden="true">
      {moves.map(({ from, to }) => {
        const [start, end] = [points.get(from), points.get(to)];
        if (!start || !end) return null;
        const [a, b] = [seenAt(start, view, size), seenAt(end, view, size)];
        const angle = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
        const middle = `translate(${(a.x + b.x) / 2} ${(a.y + b.y) / 2}) rotate(${angle})`;
        return (
          <g key={`${from}>${to}`}>
            <line x1={a.x} y1={a.y} x2={b.x} y2={b.y} />
            {Math.hypot(b.x - a.x, b.y - a.y) > 2 * APART && <path d="M-6 -6L7 0L-6 6z" transform={middle} />}
          </g>
        );
      })}
    </g>
  );
}

function Marks({
  marks,
  points,
  view,
  size,
  chosen,
  onOpen,
}: Frame & { readonly marks: readonly Mark[]; readonly chosen: string | null; readonly onOpen: (at: Point) => void }) {
  const seen = marks
    .map((mark) => ({ mark, ...seenAt(points.get(mark.id)!, view, size) }))
    .filter(({ x, y }) => x > -APART && y > -APART && x < size.width + APART && y < size.height + APART);
  return (
    <g class="marks">
      {clustered(seen, APART).map((group) => {
        const [{ mark, x, y }] = group as [(typeof group)[number]];
        const many = group.length > 1;
        const kind = group.some((one) => one.mark.kind === 'holder') ? 'holder' : many ? 'mixed' : mark.kind;
        const held = group.some(({ mark: { id } }) => id === chosen);
        return (
          <g
            key={mark.id}
            class={`mark mark-${kind}${many ? ' mark-many' : ''}${mark.exact ? '' : ' mark-about'}${held ? ' mark-chosen' : ''}`}
            transform={`translate(${x} ${y})`}
            onClick={() => many && onOpen(points.get(mark.id)!)}
          >
            <circle r={held ? 14 : many ? 12 : 10} />
            <text>{many ? `${group.length}×` : mark.number}</text>
            <title>{group.map((one) => `${one.mark.number} ${one.mark.name}`).join(', ')}</title>
          </g>
        );
      })}
    </g>
  );
}
