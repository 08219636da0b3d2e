/**
 * A press takes the focus from a field before it is a click. What is told when a field is left waits for the click: told at once, it would move
 * the page under the pointer, and the click would hit nothing.
 */
let pressed = false;
let waiting: (() => void)[] = [];

function release(): void {
  pressed = false;
  const told = waiting;
  waiting = [];
  // The click follows its release.
  if (told.length > 0) setTimeout(() => told.forEach((tell) => tell()), 50);
}
addEventListener('pointerdown', () => (pressed = true), true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, release, true);

export function afterPress(tell: () => void): void {
  if (pressed) waiting.push(tell);
  else tell();
}
