import { describe, expect, it } from '@jest/globals';
import { BatchedQuestions } from './batched-questions.js';

const nextIteration = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('questions', () => {
  it('of one iteration are asked together, each gets its own answer, and later ones are asked later', async () => {
    const sent: number[][] = [];
    const questions = new BatchedQuestions<number, string>((asked) => {
      sent.push([...asked]);
      return Promise.resolve(asked.map((one) => `answer ${one}`));
    });
    expect(await Promise.all([1, 2, 3].map((one) => questions.ask(one)))).toEqual(['answer 1', 'answer 2', 'answer 3']);
    await nextIteration();
    expect(await questions.ask(4)).toBe('answer 4');
    expect(sent).toEqual([[1, 2, 3], [4]]);
  });

  it('are at most 64 in one, and none is lost or asked twice', async () => {
    const sizes: number[] = [];
    const asked: number[] = [];
    const questions = new BatchedQuestions<number, number>((some) => {
      sizes.push(some.length);
      asked.push(...some);
      return Promise.resolve(some.map((one) => one * 2));
    });
    const all = Array.from({ length: 150 }, (_, i) => i);
    expect(await Promise.all(all.map((one) => questions.ask(one)))).toEqual(all.map((one) => one * 2));
    expect([sizes, asked]).toEqual([[64, 64, 22], all]);
  });

  it('that cannot be answered refuse nobody else', async () => {
    const questions = new BatchedQuestions<string, string>((some) =>
      some.includes('bad') ? Promise.reject(new Error('bad question')) : Promise.resolve(some.map((one) => one.toUpperCase())),
    );
    const results = await Promise.allSettled(['a', 'bad', 'b'].map((one) => questions.ask(one)));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)))).toEqual([
      'A',
      'Error: bad question',
      'B',
    ]);
  });
});
