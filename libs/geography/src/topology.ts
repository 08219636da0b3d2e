/** TopoJSON, as far as polygons need it. */
export interface Topology {
  readonly transform: { readonly scale: readonly [number, number]; readonly translate: readonly [number, number] };
  readonly arcs: readonly (readonly (readonly [number, number])[])[];
  readonly objects: Readonly<Record<string, Geometry>>;
}

export interface Geometry {
  readonly id?: string;
  readonly geometries?: readonly Geometry[];
  readonly arcs?: readonly unknown[];
}
