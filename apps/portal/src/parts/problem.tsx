import { ApiProblem } from '#client';
import { t } from '../state/language';

/** An error in words, with its code, and a way on. @param brief where the fields say what is wrong with them */
export function Problem({ of, again, brief = false }: { readonly of: unknown; readonly again?: () => void; readonly brief?: boolean }) {
  if (!of) return null;
  const { words, code } = explain(of);
  const fields = of instanceof ApiProblem ? of.errors : [];
  return (
    <div class="problem" role="alert">
      <p>
        {words} {code && <code>{code}</code>}
      </p>
      {fields.length > 0 && !brief && (
        <ul>
          {fields.map(({ pointer, message }) => (
            <li key={pointer}>
              <code>{pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {again && (
        <button type="button" onClick={again}>
          {t('Try again')}
        </button>
      )}
    </div>
  );
}

export function explain(problem: unknown): { readonly words: string; readonly code: string | null } {
  if (problem instanceof ApiProblem) {
    const detail = problem.body.detail ?? problem.body.title;
    return {
      words: typeof detail === 'string' ? detail : t('The service returned status {status}.', { status: String(problem.status) }),
      code: problem.code,
    };
  }
  if (problem instanceof TypeError || (problem as Error).name === 'TimeoutError')
    return { words: t('The service does not respond. Nothing was lost; try again in a moment.'), code: 'unreachable' };
  if ((problem as { code?: unknown }).code === 4001)
    return { words: t('You rejected the request in the wallet. Nothing was sent.'), code: 'declined' };
  return { words: problem instanceof Error ? problem.message : t('An unexpected error occurred.'), code: null };
}
