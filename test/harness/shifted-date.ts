/** Preloaded (`--import`) into a process whose clock is to be wrong: `CLOCK_AHEAD_MS` is added to every time that JavaScript reads from the machine. */
const ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const machine = Date.now.bind(Date);
const now = (): number => machine() + ahead;

globalThis.Date = new Proxy(Date, {
  construct: (target, given: unknown[], newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as object,
  apply: (target) => new target(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
