import type { TestDatabase } from '#persistence/testing';

/** Uses of a transaction while `work` runs: each is one statement, or enters a tenant. */
export async function countingStatements<T>(
  of: TestDatabase,
  work: () => Promise<T>,
): Promise<{ readonly statements: number; readonly result: T }> {
  const { unitOfWork } = of;
  let statements = 0;
  const counted = <Tx extends object>(tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          statements++;
          if (name !== 'forTenant') return Reflect.apply(value, target, args) as unknown;
          const inner = args[1] as (tx: object) => unknown;
          return Reflect.apply(value, target, [args[0], (own: object) => inner(counted(own))]) as unknown;
        };
      },
    });
  const asSystem = unitOfWork.asSystem.bind(unitOfWork);
  unitOfWork.asSystem = (inner) => asSystem((own) => inner(counted(own)));
  try {
    return { result: await work(), statements };
  } finally {
    unitOfWork.asSystem = asSystem;
  }
}
