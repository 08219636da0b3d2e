/** A page, label or file as it is sent. */
export interface Rendering {
  readonly body: Buffer;
  readonly etag: string;
  readonly type: string;
}

/** What was made of one passport, by name: kept with it, so that a second reader costs nothing. */
export class Renderings {
  private readonly made = new Map<string, Rendering>();
  private held = 0;

  /** @param grown is called when there is more to keep */
  constructor(private readonly grown: () => void) {}

  get bytes(): number {
    return this.held;
  }

  get(name: string): Rendering | undefined {
    return this.made.get(name);
  }

  add(name: string, rendering: Rendering): void {
    this.held += rendering.body.length - (this.made.get(name)?.body.length ?? 0);
    this.made.set(name, rendering);
    this.grown();
  }
}
