/**
 * A press takes the focus from a field before it is a click. A message shown when a field loses focus waits for the click: shown at once, it would move
 * the page under the pointer, and the click would hit nothing.
 */
let pressed = false;
let waiting: (() => void)[] = [];

function release(): void {
  pressed = false;
  const ready = waiting;
  waiting = [];
  // The click follows its release.
  if (ready.length > 0) setTimeout(() => ready.forEach((show) => show()), 50);
}
addEventListener('pointerdown', () => (pressed = true), true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, release, true);

export function afterPress(show: () => void): void {
  if (pressed) waiting.push(show);
  else show();
}
