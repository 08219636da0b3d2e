import type { Problem } from '#kernel';
import { exportDataMissing, exportDataUnfit } from '../errors.js';

/**
 * The one rule of all exporters for what their standard requires: it is written as it was recorded, or the document is refused and
 * names it. Nothing is set to zero, and no document goes out without it (docs/spec/domain.md#documents-about-a-lot).
 */
export class Requirements {
  private readonly missing: Problem[] = [];
  private readonly unfit: Problem[] = [];

  /** @param pointer of the value in the document @param sentence who could record it, and where */
  recorded<T>(value: T | null | undefined, pointer: string, sentence: string): T | null {
    if (value !== null && value !== undefined) return value;
    this.missing.push({ pointer, code: 'not_recorded', message: sentence });
    return null;
  }

  /** For a value that was recorded and that the standard does not allow. */
  holds(isSo: boolean, pointer: string, sentence: string): void {
    if (!isSo) this.unfit.push({ pointer, code: 'not_allowed', message: sentence });
  }

  /** @throws DomainError 422 `export_data_missing` or `export_data_unfit`, with everything that was found */
  settle(): void {
    if (this.missing.length > 0) throw exportDataMissing([...this.missing, ...this.unfit]);
    if (this.unfit.length > 0) throw exportDataUnfit(this.unfit);
  }
}
