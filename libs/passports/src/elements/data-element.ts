/** A data element of EN 18223 (clause 4.1.2), as `representation=full` has it. */
export type DataElement = SingleValued | MultiValued | MultiLanguage | ElementCollection | RelatedResource;

type Scalar = string | number | boolean;

interface Named {
  /** Unique among its siblings. */
  readonly elementId: string;
  /** IRI of its meaning in a data dictionary. */
  readonly dictionaryReference?: string;
}

export interface SingleValued extends Named {
  readonly objectType: 'SingleValuedDataElement';
  /** `xsd:…`. */
  readonly valueDataType: string;
  readonly value: Scalar;
  /** The value is the IRI of a thing, not a text. */
  readonly reference?: true;
}

/** Scalars of one type, or groups of elements. */
export interface MultiValued extends Named {
  readonly objectType: 'MultiValuedDataElement';
  readonly valueDataType?: string;
  readonly nodeTypes?: readonly string[];
  readonly reference?: true;
  readonly value: readonly Scalar[] | readonly (readonly DataElement[])[];
}

export interface MultiLanguage extends Named {
  readonly objectType: 'MultiLanguageDataElement';
  readonly value: readonly { readonly value: string; readonly language: string }[];
}

export interface ElementCollection extends Named {
  readonly objectType: 'DataElementCollection';
  /** IRIs of its classes. */
  readonly nodeTypes?: readonly string[];
  readonly elements: readonly DataElement[];
}

export interface RelatedResource extends Named {
  readonly objectType: 'RelatedResource';
  readonly url: string;
  readonly contentType: string;
  readonly resourceTitle?: string;
  readonly language?: string;
}

/** How a process map makes an element of an asset type (`dataElements`, docs/spec/domain.md#passport-documents). */
export interface ElementRule {
  readonly id: string;
  readonly dictionaryReference?: string;
  /** RFC 6901, into the metadata of the event that made the lot; of a member, into the value of the element around it. */
  readonly path?: string;
  /** What holds for every product of the type. */
  readonly value?: Scalar;
  readonly valueDataType?: string;
  /** A text in this language (BCP 47). */
  readonly language?: string;
  /** The address of a file of this media type. */
  readonly contentType?: string;
  readonly reference?: true;
  readonly nodeTypes?: readonly string[];
  /** Members of a collection; where the value is a list, of each of its items. */
  readonly elements?: readonly ElementRule[];
}
