import { AnswerCache, BlankCopies, CopiesUnderWay, UnitOfWork } from '../index.js';
import type { ValueProvider } from '@nestjs/common';

/** What `PersistenceModule` provides to reads and erasures, for a module that a test puts together. */
export const databaseProviders = (unitOfWork: UnitOfWork): readonly ValueProvider[] => [
  { provide: UnitOfWork, useValue: unitOfWork },
  { provide: AnswerCache, useValue: new AnswerCache(unitOfWork) },
  { provide: BlankCopies, useValue: new BlankCopies([]) },
  { provide: CopiesUnderWay, useValue: new CopiesUnderWay(unitOfWork, []) },
];
