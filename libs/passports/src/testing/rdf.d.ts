// What the tests use of packages without types.
declare module '@rdfjs/data-model' {
  const factory: object;
  export default factory;
}

declare module '@rdfjs/dataset' {
  const factory: { dataset(quads: readonly object[]): object };
  export default factory;
}

declare module 'n3' {
  export class Parser {
    constructor(options: { factory: object });
    parse(text: string): readonly object[];
  }
}

declare module 'shacl-engine' {
  export class Validator {
    constructor(shapes: object, options: { factory: object });
    validate(data: { dataset: object }): Promise<{ readonly results: readonly unknown[] }>;
  }
}
