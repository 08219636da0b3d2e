import { t } from '../state/language';
/** Buttons for the pages of a numbered list. */
export function Pages({ page, of, onChange }: { readonly page: number; readonly of: number; readonly onChange: (page: number) => void }) {
  if (of <= 1) return null;
  return (
    <div class="pages">
      <button type="button" disabled={page <= 1} onClick={() => onChange(page - 1)}>
        {t('Back')}
      </button>
      <span class="hint">{t('Page {page} of {of}', { page, of })}</span>
      <button type="button" disabled={page >= of} onClick={() => onChange(page + 1)}>
        {t('Next')}
      </button>
    </div>
  );
}
