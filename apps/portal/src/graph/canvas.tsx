import { useEffect, useMemo, useRef } from 'preact/hooks';
import { theme } from '../state/theme';
import { type Colours, READABLE, type View, draw } from './draw';
import { BOX, type Layout, layoutOf } from './layout';
import type { Model } from './model';
import { t } from '../state/language';

const ARROW_PX = 60;
const SCALES = { least: 0.05, most: 2.5 };

/** Drag, wheel, buttons and arrow keys move it. The table below has the same content. */
export function GraphCanvas({
  model,
  selected,
  onSelect,
}: {
  readonly model: Model;
  readonly selected: number | null;
  readonly onSelect: (tokenId: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<View>({ x: 0, y: 0, scale: 1 });
  const layout = useMemo(() => layoutOf(model), [model]);
  const frame = useRef(0);
  const paint = (): void => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const element = canvas.current;
      if (element) draw(element, model, layout, view.current, { colours: coloursOf(element), selected });
    });
  };
  /** Until somebody moves it, it is shown whole at every size: a phone may be turned. */
  const moved = useRef(false);
  const showWhole = (element: HTMLCanvasElement): void => {
    const whole = wholeOf(layout, element);
    view.current = whole.scale >= READABLE ? whole : { x: 0, y: 0, scale: 1 };
  };
  const move = (change: Partial<View>): void => {
    moved.current = true;
    view.current = { ...view.current, ...change };
    paint();
  };
  const zoom = (by: number, at = { x: 0, y: 0 }): void => {
    const { x, y, scale } = view.current;
    const next = Math.min(SCALES.most, Math.max(SCALES.least, scale * by));
    move({ scale: next, x: at.x - ((at.x - x) * next) / scale, y: at.y - ((at.y - y) * next) / scale });
  };
  const firstShown = useRef<Layout | null>(null);
  useEffect(() => {
    // The first answer is shown whole, unless nobody could read it then; what is opened later moves nothing.
    if (canvas.current && firstShown.current === null && model.nodes.size > 1) {
      firstShown.current = layout;
      showWhole(canvas.current);
    }
    paint();
  }, [model, layout, selected, theme.value]);
  useEffect(() => {
    const element = canvas.current!;
    const observer = new ResizeObserver(() => {
      // A canvas that leaves the page gets one last resize, to nothing.
      if (!element.isConnected) return;
      const ratio = devicePixelRatio || 1;
      element.width = Math.max(1, Math.round(element.clientWidth * ratio));
      element.height = Math.max(1, Math.round(element.clientHeight * ratio));
      if (!moved.current && firstShown.current === layout) showWhole(element);
      draw(element, model, layout, view.current, { colours: coloursOf(element), selected });
    });
    observer.observe(element);
    const onWheel = (event: WheelEvent): void => {
      // Plain scrolling stays the page's.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 300), fromMiddle(element, event));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', paint);
    return () => {
      dark.removeEventListener('change', paint);
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [model, layout, selected]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const { x, y } = view.current;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move({ x: x + ARROW_PX }),
      ArrowRight: () => move({ x: x - ARROW_PX }),
      ArrowUp: () => move({ y: y + ARROW_PX }),
      ArrowDown: () => move({ y: y - ARROW_PX }),
      '+': () => zoom(1.25),
      '-': () => zoom(0.8),
      '0': () => move({ x: 0, y: 0, scale: 1 }),
    };
    const act = moves[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <div class="graph">
      <canvas
        ref={canvas}
        role="application"
        tabIndex={0}
        aria-label={t('Lineage graph of {count} lots. Arrow keys move it, plus and minus zoom; the table below says the same.', {
          count: model.nodes.size,
        })}
        onKeyDown={onKeyDown}
        onPointerDown={(event) =>
          drag(event, view.current, move, (at) => {
            const hit = lotAt(layout, view.current, at);
            if (hit !== null) onSelect(hit);
          })
        }
      />
      <div class="zoom">
        <button type="button" aria-label={t('Zoom in')} onClick={() => zoom(1.25)}>
          +
        </button>
        <button type="button" aria-label={t('Zoom out')} onClick={() => zoom(0.8)}>
          −
        </button>
        <button type="button" onClick={() => move(wholeOf(layout, canvas.current!))}>
          {t('Fit')}
        </button>
      </div>
    </div>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function fromMiddle(element: Element, { clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
}

/** A press that hardly moves is a click. */
const HARDLY = 4;
function drag(event: PointerEvent, from: View, move: (change: Partial<View>) => void, onClick: (at: Point) => void): void {
  const element = event.currentTarget as HTMLCanvasElement;
  element.setPointerCapture(event.pointerId);
  const start = { x: event.clientX, y: event.clientY };
  const onMove = (to: PointerEvent): void => move({ x: from.x + to.clientX - start.x, y: from.y + to.clientY - start.y });
  const onUp = (to: PointerEvent): void => {
    element.removeEventListener('pointermove', onMove);
    if (Math.hypot(to.clientX - start.x, to.clientY - start.y) < HARDLY) onClick(fromMiddle(element, to));
  };
  element.addEventListener('pointermove', onMove);
  element.addEventListener('pointerup', onUp, { once: true });
}

function lotAt({ x, y, ids }: Layout, view: View, at: Point): number | null {
  const [px, py] = [(at.x - view.x) / view.scale, (at.y - view.y) / view.scale];
  const index = ids.findIndex((_, one) => Math.abs(x[one]! - px) <= BOX.width / 2 && Math.abs(y[one]! - py) <= BOX.height / 2);
  return index < 0 ? null : ids[index]!;
}

function wholeOf({ x, y }: Layout, { clientWidth, clientHeight }: HTMLCanvasElement): View {
  const range = (values: Float64Array): { middle: number; size: number } => {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
    return { middle: (least + most) / 2, size: most - least };
  };
  const [across, down] = [range(x), range(y)];
  const fits = Math.min(clientWidth / (across.size + 2 * BOX.width), clientHeight / (down.size + 4 * BOX.height));
  const scale = Math.min(1.2, Math.max(SCALES.least, fits));
  return { x: -across.middle * scale, y: -down.middle * scale, scale };
}

/** The page's own, so that a theme is one list of colours. */
function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    paper: of('--paper'),
    ink: of('--ink'),
    line: of('--line'),
    plain: of('--node'),
    recalled: of('--recalled'),
    affected: of('--affected'),
    root: of('--accent'),
  };
}
