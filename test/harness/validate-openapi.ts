// A program of its own: the validator is CommonJS that requires ES modules, which Node does and Jest on Node 20 does not.
import { text } from 'node:stream/consumers';
import SwaggerParser from '@apidevtools/swagger-parser';

try {
  await SwaggerParser.validate(JSON.parse(await text(process.stdin)) as never);
} catch (error) {
  process.stdout.write((error as Error).message);
}
