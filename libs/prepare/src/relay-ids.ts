import type { PreparedCall } from '#chain';
import { DomainError } from '#kernel';
import type { KeepAccountCalls } from './contract-call.js';

/** What the account takes in addition to its call: the signature of the passkey and the place of the batch (bench/results/gas.md). */
const ACCOUNT_GAS = 34_900;

/** A call of an account of passkeys has a name by which it can be relayed, and no nonce: others send it. */
export async function withRelayIds(
  drafts: readonly { readonly sender: string | null }[],
  answers: readonly (PreparedCall | DomainError)[],
  accountCalls: KeepAccountCalls,
): Promise<readonly (PreparedCall | DomainError)[]> {
  const ids = await accountCalls.keep(
    answers.map((answer, i) => {
      const { sender } = drafts[i]!;
      if (answer instanceof DomainError || sender === null) return null;
      const { to, data, gasEstimate: gas } = answer.preparedTx;
      return { sender, to, data, gas };
    }),
  );
  return answers.map((answer, i) => {
    const preparedId = ids[i];
    if (answer instanceof DomainError || !preparedId) return answer;
    const { preparedTx, hints } = answer;
    return {
      ...answer,
      preparedTx: { ...preparedTx, gasEstimate: preparedTx.gasEstimate + ACCOUNT_GAS },
      hints: { ...hints, nonce: null, preparedId },
    };
  });
}
