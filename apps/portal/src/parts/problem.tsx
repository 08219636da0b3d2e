import { ApiProblem } from '#client';
import { t } from '../state/language';
import { faultInWords, problemInWords } from './problem-words';

/** An error in words, with its code, and a way on. @param brief where the fields say what is wrong with them */
export function Problem({ of, again, brief = false }: { readonly of: unknown; readonly again?: () => void; readonly brief?: boolean }) {
  if (!of) return null;
  const { words, code, said } = explain(of);
  const fields = of instanceof ApiProblem ? fieldsOf(of) : [];
  return (
    <div class="problem" role="alert">
      <p>
        {words} {code && <code>{code}</code>}
      </p>
      {said && (
        <p class="hint" lang="en">
          {said}
        </p>
      )}
      {fields.length > 0 && !brief && (
        <ul>
          {fields.map(({ pointer, message }) => (
            <li key={pointer}>
              <code>{pointer}</code> {faultInWords(message) ?? message}
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

/** Of a single one that says what the whole does, nothing: neither its place nor the sentence a second time. */
const fieldsOf = ({ errors, body }: ApiProblem): ApiProblem['errors'] =>
  errors.length === 1 && errors[0]!.message === body.detail ? [] : errors;

interface Explained {
  readonly words: string;
  readonly code: string | null;
  /** The service's own sentence, where the words are a translation of its code: it has the values. */
  readonly said?: string;
}

export function explain(problem: unknown): Explained {
  if (problem instanceof ApiProblem) {
    const detail = problem.body.detail ?? problem.body.title;
    const said = typeof detail === 'string' ? detail : null;
    const words = problemInWords(problem.code);
    if (words !== null) return { words, code: problem.code, ...(said !== null && { said }) };
    return { words: said ?? t('The service returned status {status}.', { status: String(problem.status) }), code: problem.code };
  }
  if (problem instanceof TypeError || (problem as Error).name === 'TimeoutError')
    return { words: t('The service does not respond. Nothing was lost; try again in a moment.'), code: 'unreachable' };
  if ((problem as { code?: unknown }).code === 4001)
    return { words: t('You rejected the request in the wallet. Nothing was sent.'), code: 'declined' };
  return { words: problem instanceof Error ? problem.message : t('An unexpected error occurred.'), code: null };
}
