import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { Body, Controller, Get, Header, HttpCode, Ip, Module, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { EngineUnavailable, refusal } from '#kernel';
import { HealthModule } from '../health/health.js';
import { ApiProblems } from '../problems/api-problems.js';
import {
  IntegerField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  StringField,
  StringListField,
  TokenIdListField,
} from '../requests/fields.js';
import { tokenId, tokenIds } from '../requests/values.js';
import { PageQuery } from '../responses/page.dto.js';

const crateTaken = refusal('crate_taken', 409, (crate: string) => `Crate ${crate} is taken.`);

class Place {
  @StringField({ description: 'Name', maxLength: 20 })
  name: string;
  @IntegerField({ description: 'Floor', min: 0, max: 9, nullable: true, optional: true })
  floor?: number | null;
}

class Crate {
  @StringField({ description: 'Label', minLength: 2, pattern: /^[a-z]+$/ })
  label: string;
  @TokenIdListField({ description: 'Lots', maxItems: 3, optional: true })
  lots?: (number | string)[];
  @StringListField({ description: 'Tags', enum: ['dry', 'cold'], optional: true })
  tags?: string[];
  @ObjectField(() => Place, { description: 'Where', optional: true })
  place?: Place;
  @ObjectListField(() => Place, { description: 'Stops', optional: true })
  stops?: Place[];
  @JsonObjectField({ description: 'Anything', optional: true, checkedByRoute: true })
  metadata?: object;
}

class CratesQuery extends PageQuery {
  @StringField({ description: 'Label', optional: true })
  label?: string;

  @StringListField({ description: 'Tags', optional: true })
  tag?: string[];
}

@Controller('crates')
class CratesController {
  @Get()
  list(@Query() query: CratesQuery): CratesQuery {
    return query;
  }
  @Post()
  @HttpCode(200)
  @ApiProblems(crateTaken)
  make(@Body() crate: Crate): object {
    if (crate.label === 'taken') throw crateTaken(crate.label);
    return {
      ...Object.fromEntries(Object.entries(crate)),
      isCrate: crate instanceof Crate,
      isPlace: crate.place instanceof Place,
      ids: tokenIds(crate.lots, '/lots').map(String),
    };
  }
  @Post('free')
  @HttpCode(200)
  free(@Body() body: unknown): unknown {
    return body;
  }
  @Post('nothing')
  @HttpCode(200)
  nothing(): object {
    return { done: true };
  }
  @Get('address')
  address(@Ip() ip: string): object {
    return { ip };
  }
  @Get('labels/:label/:colour')
  coloured(@Param() { label, colour }: { readonly label: string; readonly colour: string }): object {
    return { label, colour };
  }

  @Get('labels/:label')
  labelled(@Param('label') label: string): object {
    return { label };
  }
  @Get('texts')
  texts(): object {
    return { text: 'crate '.repeat(500) };
  }
  @Get('stream')
  stream(): StreamableFile {
    return new StreamableFile(Readable.from(Array.from({ length: 200 }, () => 'crate '.repeat(20))), { type: 'text/csv' });
  }
  @Get('exact')
  @Header('ETag', '"bafy"')
  exact(): object {
    return { text: 'crate '.repeat(500) };
  }
  @Get('broken')
  broken(): never {
    throw new Error('the hidden cause');
  }
  @Get('away')
  away(): never {
    throw new EngineUnavailable('chain');
  }
  @Get(':tokenId')
  one(@Param('tokenId') id: string): object {
    return { id: String(tokenId(id)) };
  }
}

class DepotQuery extends CratesQuery {
  @StringField({ description: 'Status', optional: true })
  status?: string;
}

/** Under the address of the API, whose routes know their parameters. */
@Controller('api/v1/depot')
class DepotController {
  @Get()
  list(@Query() query: DepotQuery): DepotQuery {
    return query;
  }
  @Get('one/:depotId')
  one(@Param('depotId') depotId: string, @Query('as') as: string | undefined): object {
    return { depotId, as: as ?? null };
  }
}

/** A small API that uses every kind of field and error. */
@Module({ imports: [HealthModule], controllers: [CratesController, DepotController] })
export class CratesModule {}

/** Sends bytes on a new connection and returns everything that comes back. The connection is closed after `hangUpMs`. */
export async function sendRaw(base: string, bytes: string, hangUpMs?: number, encoding: BufferEncoding = 'utf8'): Promise<string> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  if (hangUpMs !== undefined) setTimeout(() => socket.destroy(), hangUpMs);
  socket.write(bytes);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString(encoding)));
  await once(socket, 'close');
  return text;
}

export async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries === 3_000) throw new Error('the condition did not become true');
    await wait(20);
  }
}
