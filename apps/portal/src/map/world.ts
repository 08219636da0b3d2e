import { useLoad } from '../state/load';
import { type Position, pointOf } from './mercator';

interface World {
  /** `d` of a path for each outline, in the units of `WORLD_UNITS`: what is not seen is not drawn again. */
  readonly paths: readonly string[];
  /** The middle of each country, by its code. */
  readonly middles: Readonly<Record<string, Position>>;
}

/** The world is this wide, so that its numbers are short. */
export const WORLD_UNITS = 4_096;

let loading: Promise<World> | null = null;

/** Coasts and borders come from the service; without a line the map has its marks alone. */
async function loadWorld(): Promise<World> {
  const answer = await fetch('/portal/world.json');
  if (!answer.ok) throw new Error(`world.json: ${answer.status}`);
  const { outlines, middles } = (await answer.json()) as {
    readonly outlines: readonly (readonly Position[])[];
    readonly middles: Readonly<Record<string, Position>>;
  };
  return { paths: outlines.map(pathOf), middles };
}

/** `d` of a closed line, in the units of `WORLD_UNITS`. */
export function pathOf(ring: readonly Position[]): string {
  const points = ring.map((position) => {
    const { x, y } = pointOf(position);
    return `${Math.round(x * WORLD_UNITS * 100) / 100} ${Math.round(y * WORLD_UNITS * 100) / 100}`;
  });
  return points.length === 0 ? '' : `M${points.join('L')}z`;
}

/** Loaded once for all maps of the page. */
export function useWorld(): World | null {
  const world = useLoad('world', () => {
    loading ??= loadWorld().catch((problem: unknown) => {
      loading = null;
      throw problem;
    });
    return loading;
  });
  return world.data;
}
