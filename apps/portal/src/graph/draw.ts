import { BOX, type Layout } from './layout';
import type { Model, Node } from './model';

export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Colours {
  readonly paper: string;
  readonly ink: string;
  readonly line: string;
  readonly plain: string;
  readonly recalled: string;
  readonly affected: string;
  readonly root: string;
}

/** Below this scale a box is a few pixels: its text would only cost time. */
export const READABLE = 0.45;

type Kind = 'recalled' | 'affected' | 'plain';
const kindOf = (node: Node): Kind => (node.recalled ? 'recalled' : node.recallAffected ? 'affected' : 'plain');

/** The colours of the theme, and the lot that the reader chose. */
export interface Style {
  readonly colours: Colours;
  readonly selected: number | null;
}

/** One path a colour, and only what the screen shows: a frame costs what is seen, not what is known. */
export function draw(canvas: HTMLCanvasElement, model: Model, layout: Layout, view: View, style: Style): void {
  const { colours } = style;
  const pen = canvas.getContext('2d')!;
  const ratio = devicePixelRatio || 1;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = colours.paper;
  const [width, height] = [canvas.width / ratio, canvas.height / ratio];
  pen.fillRect(0, 0, width, height);
  pen.translate(width / 2 + view.x, height / 2 + view.y);
  pen.scale(view.scale, view.scale);
  const edge = { left: (-width / 2 - view.x) / view.scale, top: (-height / 2 - view.y) / view.scale };
  const seen: Box = { ...edge, right: edge.left + width / view.scale, bottom: edge.top + height / view.scale };
  drawEdges(pen, model, layout, seen, colours);
  drawNodes(pen, model, layout, { seen, scale: view.scale }, style);
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function drawEdges(pen: CanvasRenderingContext2D, model: Model, { x, y, ids, edges }: Layout, seen: Box, colours: Colours): void {
  const paths: Record<Kind, Path2D> = { plain: new Path2D(), affected: new Path2D(), recalled: new Path2D() };
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at]!, edges[at + 1]!];
    const [x1, y1, x2, y2] = [x[from]! + BOX.width / 2, y[from]!, x[to]! - BOX.width / 2, y[to]!];
    if (Math.max(x1, x2) < seen.left || Math.min(x1, x2) > seen.right || Math.max(y1, y2) < seen.top || Math.min(y1, y2) > seen.bottom)
      continue;
    // A path is bad where it leads from what was recalled, or made from it, on to what is affected by it.
    const source = kindOf(model.nodes.get(ids[from]!)!);
    const target = kindOf(model.nodes.get(ids[to]!)!);
    const path = paths[source === 'plain' || target === 'plain' ? 'plain' : source];
    path.moveTo(x1, y1);
    path.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
  }
  for (const [kind, colour, width] of [
    ['plain', colours.line, 1],
    ['affected', colours.affected, 1.8],
    ['recalled', colours.recalled, 1.8],
  ] as const) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke(paths[kind]);
  }
}

function drawNodes(
  pen: CanvasRenderingContext2D,
  { nodes, root }: Model,
  { x, y, ids }: Layout,
  { seen, scale }: { readonly seen: Box; readonly scale: number },
  { colours, selected }: Style,
): void {
  const shown: number[] = [];
  const paths: Record<Kind, Path2D> = { plain: new Path2D(), affected: new Path2D(), recalled: new Path2D() };
  for (let index = 0; index < ids.length; index++) {
    if (
      x[index]! + BOX.width < seen.left ||
      x[index]! - BOX.width > seen.right ||
      y[index]! + ROOM < seen.top ||
      y[index]! - ROOM > seen.bottom
    )
      continue;
    shown.push(index);
    paths[kindOf(nodes.get(ids[index]!)!)].rect(x[index]! - BOX.width / 2, y[index]! - BOX.height / 2, BOX.width, BOX.height);
  }
  for (const kind of ['plain', 'affected', 'recalled'] as const) {
    pen.fillStyle = colours[kind];
    pen.fill(paths[kind]);
  }
  for (const [id, colour] of [
    [root, colours.root],
    [selected, colours.ink],
  ] as const)
    outline(pen, { x, y, ids }, id, colour);
  if (scale < READABLE) return;
  pen.fillStyle = colours.ink;
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  for (const index of shown) pen.fillText(fitting(nodes.get(ids[index]!)!.tlc), x[index]! - BOX.width / 2 + 6, y[index]!, BOX.width - 12);
}

const ROOM = 30;
const LETTERS = 20;
const fitting = (text: string): string => (text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text);

function outline(pen: CanvasRenderingContext2D, { x, y, ids }: Pick<Layout, 'x' | 'y' | 'ids'>, id: number | null, colour: string): void {
  const index = id === null ? -1 : ids.indexOf(id);
  if (index < 0) return;
  pen.strokeStyle = colour;
  pen.lineWidth = 2.5;
  pen.strokeRect(x[index]! - BOX.width / 2 - 2, y[index]! - BOX.height / 2 - 2, BOX.width + 4, BOX.height + 4);
}
