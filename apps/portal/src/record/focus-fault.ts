const FIELDS = 'input, select, textarea, button';

/** Brings the first thing that is wrong into view, and the focus to it. */
export function focusFirstFault(form: HTMLElement): void {
  // The errors are drawn first.
  requestAnimationFrame(() => {
    const first = form.querySelector<HTMLElement>('[aria-invalid="true"], p.error, .problem');
    if (!first) return;
    for (let around = first.closest('details'); around; around = around.parentElement?.closest('details') ?? null) around.open = true;
    const field = first.matches(FIELDS) ? first : (first.closest('fieldset, section')?.querySelector<HTMLElement>(FIELDS) ?? first);
    if (!field.matches(FIELDS)) field.tabIndex = -1;
    field.scrollIntoView({ block: 'center' });
    field.focus({ preventScroll: true });
  });
}
