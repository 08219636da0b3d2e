import { documentTypesOf, namespaceOf } from '../epcis/identifiers.js';
import { termList } from '../epcis/terms.js';

/** What `/ns/trc` and `/ns/btt` say, made from the lists that the exporters use. */

const CONTEXT = {
  owl: 'http://www.w3.org/2002/07/owl#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  schema: 'https://schema.org/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
};

export const TITLE = 'Terms of the traceability service';
export const ABOUT = 'What exports of this service say beyond EPCIS 2.0 and the Core Business Vocabulary. The usual prefix is trc.';
export const TYPES_TITLE = 'Types of business documents';
export const TYPES_ABOUT =
  'The type of a document is what follows the # of its address: the word that the process map of the tenant has for documents that the Core Business Vocabulary has no type for.';

/** What a term belongs to. */
export const SUBJECTS = {
  event: 'An event, EPCIS 2.0',
  ilmd: 'Instance and lot master data of an event',
  footprint: 'A footprint',
  indicator: 'An indicator of a footprint: carbon, water, energy or waste',
} as const;

const RANGES: Readonly<Record<string, string | null>> = {
  text: 'xsd:string',
  boolean: 'xsd:boolean',
  number: 'xsd:decimal',
  URI: 'xsd:anyURI',
  object: null,
};

/** `/ns/trc` in JSON-LD. @param base `https://host` of the service */
export function vocabularyOf(base: string): object {
  const namespace = namespaceOf({ base });
  const own = namespace.slice(0, -1);
  return {
    '@context': { ...CONTEXT, trc: namespace },
    '@graph': [
      { '@id': own, '@type': 'owl:Ontology', 'rdfs:label': TITLE, 'rdfs:comment': ABOUT },
      ...termList().map(([name, { label, definition, of, value, values }]) => ({
        '@id': `trc:${name}`,
        '@type': 'rdf:Property',
        'rdfs:label': label,
        'rdfs:comment': definition,
        'skos:scopeNote': SUBJECTS[of],
        ...(RANGES[value] && { 'schema:rangeIncludes': { '@id': RANGES[value] } }),
        ...(values && { 'skos:example': values }),
        'rdfs:isDefinedBy': { '@id': own },
      })),
    ],
  };
}

/** `/ns/btt` in JSON-LD: the words are those of tenants, so it names none of them. */
export const documentTypesIn = (base: string): object => ({
  '@context': CONTEXT,
  '@id': documentTypesOf({ base }).slice(0, -1),
  '@type': 'skos:ConceptScheme',
  'rdfs:label': TYPES_TITLE,
  'rdfs:comment': TYPES_ABOUT,
});
