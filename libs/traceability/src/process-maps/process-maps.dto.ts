import { BooleanField, JsonObjectField, ObjectListField, PageView, StringField, StringListField } from '#http';
import { headOf, type MapHead, type ProcessMap, type ProcessMapDocument, processIdOf } from './process-map.js';

export class ProcessView {
  @StringField({ description: 'Key that events name', example: 'RICE_MILLING' })
  processType: string;

  @StringField({ description: 'bytes32 on chain: keccak256 of the key' })
  processId: string;

  @StringField({ description: 'What people read' })
  label: string;

  @StringField({ description: 'creation, observation, transformation, aggregation, disaggregation, association, transfer, disposal' })
  kind: string;
}

export class ProcessMapView {
  @StringField({ description: "The document's key", example: 'rice' })
  name: string;

  @StringField({ description: 'What people read' })
  title: string;

  @StringField({ description: 'Semantic version', example: '1.0.0' })
  version: string;

  @StringField({ description: "CIDv1 of the document's RFC 8785 bytes" })
  cid: string;

  @StringField({ description: 'When it was published', format: 'date-time' })
  publishedAt: string;

  @StringField({ description: 'User or API key id' })
  publishedBy: string;

  @ObjectListField(() => ProcessView, { description: 'Its processes' })
  processes: ProcessView[];
}

export class ProcessMapVerdictView extends ProcessMapView {
  @BooleanField({ description: 'This very document is published already' })
  published: boolean;
}

export class ProcessMapTrialBody {
  @JsonObjectField({ checkedByRoute: true, description: 'A document of the process map format 1.0' })
  document: object;

  @StringField({ description: 'Key of one of its processes', example: 'RICE_MILLING', minLength: 1, maxLength: 200 })
  processType: string;

  @JsonObjectField({ checkedByRoute: true, description: 'Metadata that an event of the process would have' })
  metadata: object;
}

export class MapTrialIssueView {
  @StringField({ description: 'RFC 6901 pointer into the request body', example: '/metadata/quantity/uom' })
  pointer: string;

  @StringField({ description: 'Stable code' })
  code: string;

  @StringField({ description: 'One sentence' })
  message: string;
}

export class ProcessMapTrialView {
  @BooleanField({ description: 'Whether the schema of the process takes the metadata' })
  valid: boolean;

  @ObjectListField(() => MapTrialIssueView, { description: 'What it refuses' })
  issues: MapTrialIssueView[];
}

export class ProcessMapPageView extends PageView {
  @ObjectListField(() => ProcessMapView, { description: 'Newest version of each map' })
  data: readonly ProcessMapView[];
}

export class ProcessMapDocumentView extends ProcessMapView {
  @StringListField({ description: 'All published versions, newest first' })
  versions: string[];

  @JsonObjectField({ description: 'The document as it was published' })
  document: object;
}

export class ProcessMapTemplateView {
  @StringField({ description: "The document's key", example: 'rice' })
  name: string;

  @StringField({ description: 'What people read' })
  title: string;

  @StringField({ description: 'What it is for', nullable: true })
  description: string | null;

  @StringListField({ description: 'Its processes, as people call them' })
  processes: string[];

  @JsonObjectField({ description: 'The process map, as it is published' })
  document: object;
}

export class ProcessMapTemplatesView {
  @ObjectListField(() => ProcessMapTemplateView, { description: 'Of supply chains, and of products whose passports the law describes' })
  data: ProcessMapTemplateView[];
}

export const processMapTemplateView = (document: ProcessMapDocument): ProcessMapTemplateView => ({
  name: document.key,
  title: document.name,
  description: document.description ?? null,
  processes: Object.values(document.processes).map(({ label }) => label),
  document,
});

export const processMapView = ({ publishedAt, processes, ...head }: MapHead): ProcessMapView => ({
  ...head,
  publishedAt: publishedAt.toISOString(),
  processes: processes.map((process) => ({ ...process, processId: processIdOf(process.processType) })),
});

export const processMapDocumentView = (map: ProcessMap, versions: readonly string[]): ProcessMapDocumentView =>
  Object.assign(processMapView(headOf(map)), { versions: [...versions], document: map.document });
