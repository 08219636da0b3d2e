import { EnumField, IntegerField, StringField } from '#http';
import { EDGE_KINDS, type EdgeKind } from '../../domain/edge.js';
import { AsOfField, type LooksBack } from './as-of.js';

/** Query of ancestry and descendants (domain-decisions §2.6). */
export class GraphQuery implements LooksBack {
  @IntegerField({ description: 'Levels from the lot', min: 1, max: 200, optional: true, default: 10 })
  maxDepth: number = 10;

  @IntegerField({ description: 'Lots in the answer, the one asked about aside', min: 1, max: 20_000, optional: true, default: 500 })
  maxNodes: number = 500;

  @EnumField([...EDGE_KINDS, 'all'], { description: 'Which edges to follow', optional: true, default: 'all' })
  edges: EdgeKind | 'all' = 'all';

  @EnumField(['graph', 'tree'], {
    description: '`tree` nests; a lot that was shown already stands there as `{ tokenId, tlc, ref: true }`',
    optional: true,
    default: 'graph',
  })
  format: 'graph' | 'tree' = 'graph';

  @AsOfField()
  asOf?: string;

  @StringField({
    description: '`nextCursor` of an answer that was cut: goes on exactly there, as of the same block',
    optional: true,
    maxLength: 400,
  })
  cursor?: string;
}

export class RelationsQuery implements LooksBack {
  @AsOfField()
  asOf?: string;
}
