/** An element with what is in it. Names are without prefix, which is only how their namespace is written here. */
export interface XmlElement extends XmlName {
  /** In its document, from 1. */
  readonly line: number;
  /** Of its `<` in the text of its document, from 0. */
  readonly start: number;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** Without the spaces around it; of an element with children it means nothing. */
  readonly text: string;
}

export interface XmlName {
  readonly name: string;
  readonly prefix: string;
  /** Empty: none. */
  readonly namespace: string;
}

export interface XmlAttribute extends XmlName {
  readonly value: string;
}

/** A document: its outermost element, and all namespaces that it declares, by their prefix. */
export interface XmlDocument {
  readonly root: XmlElement;
  readonly prefixes: ReadonlyMap<string, string>;
}

export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** A name in XML without its prefix. */
export const NC_NAME = /^[A-Za-z_][\w.-]*$/;

export const attributeOf = ({ attributes }: XmlElement, name: string, namespace = ''): string | null =>
  attributes.find((one) => one.name === name && one.namespace === namespace)?.value ?? null;
