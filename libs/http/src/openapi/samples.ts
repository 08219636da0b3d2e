import type { Reference, ReferenceOperation } from './reference.js';

/** The programs of one call, each complete but for the credential. */
export interface Sample {
  readonly language: string;
  readonly code: string;
}

const BASE = 'http://localhost:3000';

/** curl, TypeScript, Python and Go. The libraries are those of this project. */
export function samplesOf(reference: Reference, operation: ReferenceOperation): readonly Sample[] {
  const body = operation.body === null ? null : reference.exampleOf(operation.body);
  const address = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => examplePart(name));
  return [
    { language: 'curl', code: curl(operation, address, body) },
    { language: 'TypeScript', code: typescript(operation, body) },
    { language: 'Python', code: python(operation, body) },
    { language: 'Go', code: go(operation, address, body) },
  ];
}

/** Numbers where the name is that of a token; otherwise the name itself, for the reader to replace. */
const examplePart = (name: string): string => (name === 'tokenId' ? '7' : name.toUpperCase());
const json = (value: unknown, indent = 2): string => JSON.stringify(value, null, indent);
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

function curl({ method, open }: ReferenceOperation, address: string, body: unknown): string {
  const lines = [
    `curl -X ${method} '${BASE}${address}'`,
    ...(open ? [] : [`-H "Authorization: Bearer $TOKEN"`]),
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `-d '${json(body).replaceAll("'", `'\\''`)}'`]),
  ];
  return lines.join(' \\\n  ');
}

function typescript({ method, path, parameters, open }: ReferenceOperation, body: unknown): string {
  const inPath = parameters
    .filter((one) => one.in === 'path')
    .map(({ name }) => `${name}: ${name === 'tokenId' ? 7 : `'${examplePart(name)}'`}`);
  const given = [
    ...(inPath.length > 0 ? [`path: { ${inPath.join(', ')} }`] : []),
    ...(body === null ? [] : [`body: ${indented(json(body), '  ')}`]),
  ];
  const call = `client.call('${method} ${path}'${given.length === 0 ? '' : `, {\n  ${given.join(',\n  ')},\n}`})`;
  const credential = open ? '' : ', { apiKey: process.env.API_KEY! }';
  return `import { TraceabilityClient } from 'traceability-client';

const client = new TraceabilityClient('${BASE}'${credential});
const answer = await ${call};
console.log(answer);`;
}

const snake = (name: string): string => name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();

function python({ operationId, parameters, open }: ReferenceOperation, body: unknown): string {
  const args = [
    ...parameters.filter((one) => one.in === 'path').map(({ name }) => (name === 'tokenId' ? '7' : `"${examplePart(name)}"`)),
    ...(body === null ? [] : [pythonValue(json(body, 4))]),
  ];
  return `import os
from traceability_client import Client

client = Client("${BASE}"${open ? '' : ', api_key=os.environ["API_KEY"]'})
print(client.api.${snake(operationId)}(${args.join(', ')}))`;
}

/** JSON is Python but for three words, outside of texts. */
const pythonValue = (text: string): string =>
  text.replaceAll(/"(?:\\.|[^"\\])*"|\b(?:true|false|null)\b/g, (part) => ({ true: 'True', false: 'False', null: 'None' })[part] ?? part);

function go({ method, open }: ReferenceOperation, address: string, body: unknown): string {
  const given = body === null ? 'nil' : `strings.NewReader(\`${json(body).replaceAll('`', '')}\`)`;
  const imports = ['fmt', 'io', 'net/http', ...(open ? [] : ['os']), ...(body === null ? [] : ['strings'])];
  const headers = [
    ...(open ? [] : ['request.Header.Set("X-API-Key", os.Getenv("API_KEY"))']),
    ...(body === null ? [] : ['request.Header.Set("Content-Type", "application/json")']),
  ];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
\trequest, err := http.NewRequest("${method}", "${BASE}${address}", ${given})
\tif err != nil {
\t\tpanic(err)
\t}
${headers.map((line) => `\t${line}\n`).join('')}\tresponse, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer response.Body.Close()
\tanswer, _ := io.ReadAll(response.Body)
\tfmt.Println(response.Status, string(answer))
}`;
}
