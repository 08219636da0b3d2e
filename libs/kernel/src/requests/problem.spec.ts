import { describe, expect, it } from '@jest/globals';
import { addProblem, DomainError, invalidContent, type Problem, ProblemBudget } from './problem.js';
import { jsonTextFaults } from '../text/text-faults.js';

const problems = (count: number): Problem[] =>
  Array.from({ length: count }, (_, i) => ({ pointer: `/${i}`, code: 'x', message: `No ${i}.` }));

describe('an error', () => {
  it('lists a hundred problems and says how many more there are', () => {
    const { details, message } = invalidContent(problems(250));
    expect(details.errors).toEqual(problems(100));
    expect([details.moreErrors, message]).toEqual([150, 'The content has 250 errors.']);
    expect(invalidContent(problems(100)).details).toEqual({ errors: problems(100) });
  });

  it('keeps the number of the others when it is made again with other pointers', () => {
    const { code, status, message, details } = invalidContent(problems(250));
    expect(new DomainError(code, status, message, { ...details, errors: details.errors! }).details.moreErrors).toBe(150);
  });

  it('repeats no more than a part of long names and values', () => {
    const name = 'n'.repeat(900);
    const pointer = `/a/${name}/${name}/b`;
    const { details, message } = invalidContent([{ pointer, code: 'x', message: 'm'.repeat(5_000) }]);
    expect(details.errors).toEqual([{ pointer: `/a/${name}`, code: 'x', message: `${'m'.repeat(2_000)}…` }]);
    expect(message).toHaveLength(2_001);
  });
});

describe('problems of a request', () => {
  it('are made as far as they are listed, and counted beyond', () => {
    const found: Problem[] = [];
    let made = 0;
    for (const problem of problems(1_000))
      addProblem(found, () => {
        made++;
        return problem;
      });
    expect([found.length, made]).toEqual([1_000, 100]);
    expect(invalidContent(found).details).toEqual({ errors: problems(100), moreErrors: 900 });
  });

  it('of the texts of a JSON value are counted like all others', () => {
    const { details } = invalidContent(jsonTextFaults({ list: Array.from({ length: 300 }, () => 'a\0') }, '/metadata'));
    expect([details.errors!.length, details.moreErrors]).toEqual([100, 200]);
    expect(details.errors![99]).toMatchObject({ pointer: '/metadata/list/99', code: 'nul_character' });
  });
});

describe('the problems of many items', () => {
  it('are a thousand in all, and then one of each', () => {
    const budget = new ProblemBudget();
    const listed = Array.from({ length: 20 }, () => budget.of(invalidContent(problems(80))).details);
    expect(listed.map(({ errors }) => errors!.length)).toEqual([...Array<number>(12).fill(80), 40, ...Array<number>(7).fill(1)]);
    expect(listed.map(({ moreErrors }) => moreErrors ?? 0)).toEqual([...Array<number>(12).fill(0), 40, ...Array<number>(7).fill(79)]);
  });

  it('are counted once, and other outcomes not at all', () => {
    const budget = new ProblemBudget();
    const first = budget.of(invalidContent(problems(100)));
    for (let i = 0; i < 50; i++) expect(budget.of(first)).toBe(first);
    expect(budget.of('prepared')).toBe('prepared');
    expect(budget.of(invalidContent(problems(90))).details.errors).toHaveLength(90);
  });
});
