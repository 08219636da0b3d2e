import { useEffect, useRef } from 'preact/hooks';
import { type Point, type View, moved, zoomed } from './mercator';

interface Gestures {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
  readonly onPointerCancel: (event: PointerEvent) => void;
}

/** A press that hardly moves is a click on what is there. */
const HARDLY = 4;

/** One finger or the mouse moves the map, two fingers zoom it, the wheel zooms it with Ctrl. */
export function useGestures(frame: { readonly current: SVGSVGElement | null }, view: View, onView: (view: View) => void): Gestures {
  const fingers = useRef(new Map<number, Point>());
  const latest = useRef(view);
  latest.current = view;
  const show = (next: View): void => {
    latest.current = next;
    onView(next);
  };
  useEffect(() => {
    const element = frame.current!;
    const onWheel = (event: WheelEvent): void => {
      // Plain scrolling stays the page's.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      show(zoomed(latest.current, Math.exp(-event.deltaY / 300), fromMiddle(element, event)));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, []);
  const end = ({ pointerId }: PointerEvent): void => void fingers.current.delete(pointerId);
  return {
    onPointerDown: ({ pointerId, clientX: x, clientY: y }) => fingers.current.set(pointerId, { x, y }),
    onPointerMove: ({ pointerId, clientX: x, clientY: y }) => {
      const [before, to] = [fingers.current.get(pointerId), { x, y }];
      if (!before) return;
      const [other] = [...fingers.current].filter(([id]) => id !== pointerId).map(([, point]) => point);
      if (!other && Math.hypot(x - before.x, y - before.y) < HARDLY && !frame.current!.hasPointerCapture(pointerId)) return;
      frame.current!.setPointerCapture(pointerId);
      fingers.current.set(pointerId, to);
      if (!other) show(moved(latest.current, { x: before.x - x, y: before.y - y }));
      else {
        const middle = { clientX: (other.x + x) / 2, clientY: (other.y + y) / 2 };
        show(zoomed(latest.current, distance(other, to) / Math.max(1, distance(other, before)), fromMiddle(frame.current!, middle)));
      }
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

function fromMiddle(element: Element, { clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
}
