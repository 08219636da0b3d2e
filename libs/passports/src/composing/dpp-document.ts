import type { DataElement } from '../elements/data-element.js';
import type { Granularity } from '../issuing/issued-passport.js';

/** Base values of EN 18223 Table 1; what happened to the goods is in the element `passportStatus`. */
export type DppStatus = 'active' | 'inactive' | 'archived' | 'invalid';

/** The header of a passport of EN 18223 (clause 4.1.2.1, Table 1). */
export interface DppHeader {
  /** `urn:uuid:…` of the passport's 128 random bits: it names no host, so a document keeps its bytes wherever it is served. */
  readonly digitalProductPassportId: string;
  /** The canonical GS1 Digital Link; the passport's own id where the product has none. */
  readonly uniqueProductIdentifier: string;
  readonly granularity: Granularity;
  readonly dppSchemaVersion: 'EN 18223:2026';
  readonly dppStatus: DppStatus;
  /** ISO 8601, UTC. */
  readonly lastUpdated: string;
  /** Its GLN as a Digital Link, its LEI, or `urn:uuid:…` of the organisation. */
  readonly economicOperatorId: string;
  /** GLN of the place as a Digital Link, where it is public. */
  readonly facilityId?: string;
  readonly contentSpecificationIds: readonly string[];
  /** IRIs of the classes that a product of this type is of. */
  readonly nodeTypes?: readonly string[];
}

/** A passport in full representation (EN 18223 Annex A). */
export interface DppDocument extends DppHeader {
  readonly elements: readonly DataElement[];
}
