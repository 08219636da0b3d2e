/** Buttons for the pages of a numbered list. */
export function Pages({ page, of, onChange }: { readonly page: number; readonly of: number; readonly onChange: (page: number) => void }) {
  if (of <= 1) return null;
  return (
    <div class="pages">
      <button type="button" disabled={page <= 1} onClick={() => onChange(page - 1)}>
        Back
      </button>
      <span class="hint">
        Page {page} of {of}
      </span>
      <button type="button" disabled={page >= of} onClick={() => onChange(page + 1)}>
        Next
      </button>
    </div>
  );
}
